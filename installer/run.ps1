# Set everything up on Windows and start the console with the bundled game. Untested: see README.
$ErrorActionPreference = 'Stop'
$root = Split-Path -Parent $PSScriptRoot
$venv = Join-Path $root '.venv'
$python = Join-Path $venv 'Scripts\python.exe'
$stamp = Join-Path $venv '.pitwall'
$pyproject = Join-Path $root 'pyproject.toml'
$constraints = Join-Path $PSScriptRoot 'constraints.txt'
$want = (Get-FileHash $pyproject).Hash + (Get-FileHash $constraints).Hash

if (-not (Test-Path $python)) {
    Write-Host 'pitwall: making .venv'
    py -3.11 -m venv $venv
    if ($LASTEXITCODE) { throw 'Python 3.11 is needed.' }
}
if (-not (Test-Path $stamp) -or (Get-Content $stamp) -ne $want) {
    Write-Host 'pitwall: installing Python packages into .venv'
    $env:CMAKE_ARGS = '-DGGML_NATIVE=OFF'  # see setup.sh; needs Visual Studio's C++ build tools
    & $python -m pip --disable-pip-version-check -q install -c $constraints -e $root
    if ($LASTEXITCODE) { throw 'pip could not install the project.' }
    & $python -m pip --disable-pip-version-check -q install --no-deps -c $constraints rapidocr crafter
    if ($LASTEXITCODE) { throw 'pip could not install rapidocr and crafter.' }
    Set-Content $stamp $want
}
& (Join-Path $venv 'Scripts\pitwall.exe') console --game flappy --start @args
exit $LASTEXITCODE
