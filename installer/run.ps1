# Set Pitwall up on Windows and start the console with a bundled game. Needs Python 3.11, no compiler. No PowerShell has
# run this file yet; what it calls has run (see run.cmd).
& py -3.11 (Join-Path $PSScriptRoot 'windows_run.py') @args
exit $LASTEXITCODE
