@echo off
rem Set Pitwall up on Windows and start the console with a bundled game. Needs Python 3.11, no compiler.
setlocal
if not defined PITWALL_PYTHON set "PITWALL_PYTHON=py -3.11"
%PITWALL_PYTHON% "%~dp0windows_run.py" %*
exit /b %errorlevel%
