"""The words with which people describe a training run, in English and Vietnamese (without tone marks)."""

# Words that say nothing about a fault.
IGNORED = """
a about after also always an and any are at be become becomes becoming been but by did do does during even for from
get gets getting give gives go goes going had has have how i in instead is it its just keep keeps me my of on only or
our really so some stay stays still than that the their then there they this to too turns very was were what when
whenever while why will with you your bi cac co cua da den hay la mot nay ngay nhung qua rat ra sao thi tai va vao
"""

# Words that mean one thing: the first of each line stands for the others.
GROUPS = """
all: every, each, each and every, toan, tat ca, entire, whole
audio: sound, wav, mp3, flac, ogg, waveform, clip, recording, speech, am thanh
both: contained, included, overlap, overlapping, contamination, contaminated
bceloss: bce, bcewith, binary cross entropy
bottleneck: starving, starved, waiting for data, waits for data, util, utilization
not update: fixed, same every time
cuda: gpu, device
data: du lieu, dataset, corpus
decrease: down, drop, dropping, fall, descend, improve, giam, lower
misaligned: mixed up, mix up, swapped, off by one, lech
different: differ, differs, another, mismatch, mismatched, not match, no match, does not match, khong match, disagree
dimension: size, kich thuoc
distributed: ddp, multi gpu, several gpu, multiple gpu, two gpu, torchrun, rank, nccl, fsdp, several process
dtype: scalar type, data type
duplicate: twice, double, doubled, trung
float64: dtype double, found double, double precision
empty: nothing, rong
end: eos, end of sentence, end of text
explode: explosion, blow up, huge, enormous, bung no, skyrocket
fail: raise, crash, error, exception, traceback, abort, loi
find: found, such
fp16: half, float16, 16 bit, 16bit, amp, mixed precision
fp32: float32, full precision
freeze: frozen, not trainable, requires grad false, dong bang
garbage: gibberish, nonsense, rubbish, garbled, rac, random text, random word, vo nghia
generalize: generaliz
generate: generation, inference, free running, sinh
gradient: grad
hallucinate: hallucination, invent, make up, made up, fabricate, bia, bia ra
hang: deadlock, freezes up, wait forever, stall, hung, treo, stuck forever
high: large, big, cao
identical: same, equal, giong nhau
import: not installed, module not found, no module, no modules
imbalance: skewed, unbalanced
infinite: inf, infinity
label: target, nhan
language: ngon ngu
last: end of epoch, last step, final
leak: leakage, leaking, both train and test, both train and validation, both split
learn: hoc
length: long, duration
loss: cost, objective, losse
loss scale: gradscaler, grad scaler
low: small, tiny, thap, nho
masked: ignored, ignore, -100
memory: ram, vram, bo nho, cublas status alloc failed
metric: score, diem, do chinh xac, accuracy
missing: not called, not call, lack, absent, forgot, forget, forgotten, thieu, lost, quen
model: mo hinh, network
nan: nans, not a number
negative: below zero, less than zero
not: no, never, doesnt, dont, cannot, cant, isnt, wont, khong, ko, without, arent, didnt, not any
optimizer: optim, adam, adamw, sgd
out memory: oom, killed, oom killer
oscillate: up and down, fluctuate, noisy, unstable, zigzag, bounce, jumpy, swing, dao dong
out: het, tran
output: say, saying, predicted, prediction, predict, hypothesis, ket qua, result, print
outside: out of range, out of bound, device side assert, outofrange
overfit: overfitting, memorize, memorise, hoc thuoc
overflow: overflows, exceed
padding: pad
plateau: not converge, converge, hoi tu, khong hoi tu, flatline, flat, stagnate, not decrease, stop decrease, stuck
precision: bf16, bfloat16
punctuation: comma, dau cau, upper case, capital letter
random: nondeterministic, non deterministic, not reproducible, not deterministic, ngau nhien, run to run
learning rate: lr, toc do hoc
reload: load, loading, restore, loaded
repeat: repetition, over and over, again and again, loop, lap, lap lai
sample rate: sampling rate, khz, hz, resample
save: luu
schedule: scheduler, lr scheduler
scored: counted, contribute
spike: jump
sentence: cau, phrase
shape: kich thuoc tensor
silence: nobody talk, no speech, im lang, silent, quiet
slow: faster, speed up, cham, takes forever, take forever, low throughput, speed
space: disk full, no space, full
speaker: voice, nguoi noi
start: bos
step: buoc, iteration
text: transcript, transcription, van ban, caption, sub
token: piece
train: training, huan luyen
truncate: cut, cut off, trim
unknown: unk, oov
unreadable: corrupt, corrupted, damaged, cannot be decode, cannot decode, cannot be read, cannot be open
up: increase, rise, grow, climb, tang
update: change, move, thay doi, doi, modify
validation: dev, eval, evaluation, test, val, held out, unseen, kiem tra
vanish: bien mat, disappear
vocabulary: vocab, tu vung
word: tu
worse: bad, poor, terrible
wrong: incorrect, sai, false
zero: 0, bang 0
"""
