# Set Pitwall up on Windows and start the console with a bundled game. Needs Python 3.11, no compiler. Windows runs no
# script before it is told to: powershell -ExecutionPolicy Bypass -File installer\run.ps1
# No PowerShell has run this file yet; what it calls has run (see run.cmd).
$python = @(if ($env:PITWALL_PYTHON) { -split $env:PITWALL_PYTHON } else { 'py', '-3.11' })
if (-not (Get-Command $python[0] -ErrorAction SilentlyContinue)) {
    [Console]::Error.WriteLine('pitwall: there is no ' + $python[0] + ': winget install Python.Python.3.11')
    exit 1
}
$words = @($python | Select-Object -Skip 1) + @(Join-Path $PSScriptRoot 'windows_run.py') + @($args)
& $python[0] @words
exit $LASTEXITCODE
