@echo off
rem Development on Windows, a GPU of 4 GB: Whisper-tiny, then Wav2Vec2 + mBART. Run it from the folder that holds data.
rem TORCH_INDEX: the package index with the torch wheels for your CUDA version; unset: the default index of pip.
setlocal
set "PROJECT=%~dp0.."
if not defined VENV set "VENV=%PROJECT%\.venv"
set "INDEX="
if defined TORCH_INDEX set "INDEX=--index-url %TORCH_INDEX%"
if not exist "%VENV%\Scripts\train.exe" (
  py -3.11 -m venv "%VENV%" || exit /b 1
  "%VENV%\Scripts\python" -m pip install --quiet -c "%PROJECT%\constraints.txt" %INDEX% torch torchaudio || exit /b 1
  "%VENV%\Scripts\python" -m pip install --quiet -c "%PROJECT%\constraints.txt" -e "%PROJECT%" || exit /b 1
)
"%VENV%\Scripts\train" pipeline --config dev_whisper --config dev_e2e %*
exit /b %ERRORLEVEL%
