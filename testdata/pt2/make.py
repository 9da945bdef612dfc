#!/usr/bin/env python3
"""Writes the archives of this folder, with what PyTorch computes for them. No part of the build.

  python3 -m venv V && V/bin/pip install torch==2.15.0 torchvision numpy && V/bin/python make.py
  python3 -m venv W && W/bin/pip install torch==2.5.1 'numpy<2' && W/bin/python make.py legacy

`legacy` is written by the oldest version whose archives are read, in that version's layout. Names of
folders behind it are the only ones that are written then. Weights are random, by a seed that each name
gives, and all networks tiny. On another processor the last bits of some outputs may be others.
"""

import copy
import io
import json
import os
import sys
import zipfile
import zlib

import numpy
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops import while_loop
from torch._higher_order_ops.map import map as torch_map
from torch.export import Dim

import operators

try:
    from torch._higher_order_ops import scan
except ImportError:  # 2.5, which writes `legacy`
    scan = None

# Whose stack traces are kept.
TRACED = {"unsupported", "trained"}


class ConvNet(nn.Module):
    """Two layers, batch normalization, a buffer, a lifted constant, and shape arithmetic."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.second = nn.Conv2d(4, 2, 3, stride=2)
        self.register_buffer("scale", torch.randn(2, 1, 1))
        self.offset = torch.randn(2, 1, 1)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        y = self.second(y) * self.scale + self.offset
        return y, y.view(x.shape[0] * 2, -1).sum(-1)


class MaskedNet(nn.Module):
    """A recurrent layer of which nobody reads the last states, and a number that JSON does not have."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(3, 4, batch_first=True, bidirectional=True)

    def forward(self, x):
        y = self.layer(x)[0]
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        return (y @ y.transpose(1, 2)).masked_fill(later, float("-inf")).softmax(-1) @ y


class LastNet(nn.Module):
    """What a recurrent layer ends with, of which old versions state an axis that is not there."""

    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.LSTM(3, 4, 2, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        y, (h, c) = self.layer(x)
        return self.head(h[-1]), torch.cat([h[0], h[1]], -1), c


class TiedNet(nn.Module):
    """Weights that share memory: one of another module, one transposed, one a part of a larger."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 6)
        self.mix = nn.Parameter(torch.randn(6, 6).t())
        self.head = nn.Linear(6, 11, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("part", torch.randn(4, 12)[1:3, 3:9])

    def forward(self, ids):
        x = self.embed(ids) @ self.mix
        return self.head(F.gelu(x)), x[..., None, :] + self.part


class UNet(nn.Module):
    def __init__(self, c=3):
        super().__init__()

        def block(i, o):
            return nn.Sequential(
                nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True), nn.Conv2d(o, o, 3, padding=1),
                nn.ReLU(inplace=True))

        self.down1, self.down2, self.middle = block(1, c), block(c, 2 * c), block(2 * c, 4 * c)
        self.up2, self.join2 = nn.ConvTranspose2d(4 * c, 2 * c, 2, stride=2), block(4 * c, 2 * c)
        self.join1, self.out = block(3 * c, c), nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        y = self.join2(torch.cat([self.up2(self.middle(F.max_pool2d(b, 2))), b], 1))
        y = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.out(self.join1(torch.cat([y, a], 1))))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(5, 6, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(12, 4)
        self.out = nn.Linear(4, 3)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        z, _ = self.gru(y.transpose(0, 1))
        return F.log_softmax(self.out(z), -1), h, c


class DecoderBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x, cos, sin, mask, keys, values):
        batch, length, width = x.shape

        def split(z):
            return z.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

        def turn(z):
            a, b = z.chunk(2, -1)
            return z * cos + torch.cat([-b, a], -1) * sin

        y = self.norm1(x)
        keys = torch.cat([keys, turn(split(self.k(y)))], 2)
        values = torch.cat([values, split(self.v(y))], 2)
        y = F.scaled_dot_product_attention(turn(split(self.q(y))), keys, values, attn_mask=mask)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.silu(self.up(self.norm2(x)))), keys, values


class Decoder(nn.Module):
    """One block with a cache of keys and values, any number of new and of past tokens."""

    def __init__(self, width=8, heads=2, vocabulary=13):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.block, self.norm = DecoderBlock(width, heads), nn.RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        half = width // heads
        self.register_buffer("rates", 1 / (10000 ** (torch.arange(0, half, 2).float() / half)))

    def forward(self, ids, keys, values):
        past, new = keys.shape[2], ids.shape[1]
        angles = torch.arange(past, past + new).float()[:, None] * self.rates[None]
        angles = torch.cat([angles, angles], -1)
        row, column = torch.arange(new)[:, None] + past, torch.arange(past + new)[None]
        mask = torch.where(column <= row, 0.0, float("-inf"))
        x, keys, values = self.block(self.embed(ids), angles.cos(), angles.sin(), mask, keys, values)
        return self.head(self.norm(x)), keys, values


class Unbatched(nn.Module):
    """Convolutions and pools of one image, without a batch axis."""

    def __init__(self):
        super().__init__()
        self.line, self.up = nn.Conv1d(3, 4, 3, stride=2, padding=1), nn.ConvTranspose1d(4, 2, 3, stride=2, output_padding=1)
        self.image, self.same = nn.Conv2d(3, 4, (3, 2), groups=1), nn.Conv2d(4, 4, 3, padding="same", dilation=2, groups=2)
        self.raised, self.volume = nn.ConvTranspose2d(4, 3, 2, stride=(2, 1)), nn.Conv3d(1, 2, 2)

    def forward(self, x, y):
        line = self.line(x)
        image = self.same(self.image(y))
        return (self.up(line), F.max_pool1d(line, 2, 1), F.avg_pool1d(line, 3, 2, 1), self.raised(image),
                F.avg_pool2d(image, 3, 2, 1, ceil_mode=True, count_include_pad=False), F.max_pool2d(image, 3, 2, 1, ceil_mode=True), F.lp_pool2d(image.abs(), 2, 3, 2),
                *F.max_pool2d(y, 2, return_indices=True), F.max_pool3d(self.volume(y[None]), (2, 1, 2)), F.avg_pool2d(y, 2, divisor_override=3))


class Deep(nn.Module):
    """Recurrent layers on each other, and an LSTM whose states are projected."""

    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(3, 2, 6), nn.GRU(2, 3, 5, bidirectional=True)
        self.rnn, self.thin = nn.RNN(6, 2, 5, nonlinearity="relu"), nn.LSTM(2, 4, 2, proj_size=3, bidirectional=True)

    def forward(self, x, h, c):
        y, (a, b) = self.lstm(x)
        z, d = self.gru(y)
        w, e = self.rnn(z)
        v, (f, g) = self.thin(w, (h, c))
        return v, a, b, d, e, f, g


class Bags(nn.Module):
    """Bags of rows: by offsets, by rows of indices, weighted, and without what pads them."""

    def __init__(self):
        super().__init__()
        self.sum, self.mean = nn.EmbeddingBag(7, 3, mode="sum"), nn.EmbeddingBag(7, 3, mode="mean", padding_idx=2)
        self.most, self.last = nn.EmbeddingBag(7, 3, mode="max", padding_idx=2), nn.EmbeddingBag(7, 3, mode="mean", include_last_offset=True)

    def forward(self, rows, weights, line, offsets):
        return (self.sum(rows), self.sum(rows, per_sample_weights=weights), self.mean(rows), self.most(rows), self.sum(line, offsets), self.mean(line, offsets),
                self.most(line, offsets), self.last(line, torch.cat([offsets, torch.full((1,), line.shape[0])])))


class Areas(nn.Module):
    """Means and largest entries of windows whose number, or whose sizes, only the inputs say; numbers some size apart."""

    def forward(self, x, y):
        return (F.interpolate(x, size=(3, 5), mode="area"), F.interpolate(x, size=y.shape, mode="area"), F.interpolate(x, scale_factor=0.5, mode="area"),
                F.adaptive_avg_pool1d(x[0], 4), F.adaptive_max_pool2d(x, (4, 3)), torch.arange(7, 60, y.shape[0]) * 2)


class Positions(nn.Module):
    """Steps of floats between ends of which some are sizes; a part of a table that is never the whole."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.tril(torch.ones(12, 12)).view(1, 12, 12))

    def forward(self, x):
        n = x.shape[0]
        x = torch.where(self.table[:, n - n : n, :n] > 0, x[None, :, None], x).sum((0, 2))
        return x[:, None] * torch.arange(n, -n, -1.0), torch.arange(0.5, n, 0.25), torch.arange(-n, 2.5, 1.5)


class Choices(nn.Module):
    """Graphs of which data, or a size, say which is run: with modules in them, several results, one in the other."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(3, 2), nn.Sequential(nn.Linear(3, 2), nn.ReLU(inplace=True))

    def forward(self, x):
        def inner(z):
            return torch.cond(z.sum() > 1, lambda v: v + 1, lambda v: v - 1, (z,))

        a = torch.cond(x.mean() > 0, self.one, self.other, (x,))
        b, c = torch.cond(x.shape[0] > 3, lambda z: (inner(z), z[:, :1].exp()), lambda z: (z * 2, z[:, 1:2].sin()), (x,))
        return a, b, c


class Resizes(nn.Module):
    """By factors that are whole and such as are not, and to sizes; each way of laying the grids on each other."""

    def forward(self, x):
        return tuple(
            F.interpolate(x, mode=mode, align_corners=corners, **how)
            for mode, corners in (("nearest", None), ("bilinear", False), ("bilinear", True))
            for how in ({"scale_factor": 2}, {"scale_factor": 1.7}, {"scale_factor": 0.6}, {"size": (7, 3)}))


class Views(nn.Module):
    """What is written over a part of a tensor is seen in the whole, and in its other parts."""

    def forward(self, x):
        n = x.shape[1]
        moved = torch.zeros_like(x)
        moved[:, -1] = x[:, 0]
        moved[:, :-1] += x[:, 1:]
        mixed = torch.empty(x.shape[0], 2 * n)
        mixed[:, 0::2] = x.sin()
        mixed[:, 1::2] = x.cos()
        turned = x.clone()
        column = turned.t()[1]
        row = turned[0]
        column.mul_(3)
        halves = x.clone()
        first, second = halves.chunk(2, 0)
        first.relu_()
        rows = second.unbind(0)
        rows[0].fill_(7.0)
        mask = torch.zeros(6, 6)
        for i, part in enumerate((slice(0, 2), slice(2, 4), slice(4, 6))):
            mask[part, part] = i + 1
        flat = mask.view(-1)
        flat[35] = 9
        mask.diagonal(1).add_(0.5)
        return moved, mixed, turned, row, halves, second, mask, flat[::5].sum()


class Copied(nn.Module):
    """What is written over a copy is not in what it was copied from."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(6))

    def forward(self, x):
        whole = self.mask.to(torch.int32)
        whole.mul_(2)
        pairs = torch.view_copy(self.mask, (2, 3))
        pairs.mul_(3)
        row = torch.select_copy(x, 0, 0)
        row.add_(1)
        turned = torch.transpose_copy(x, 0, 1)
        turned.mul_(3)
        halves = torch.split_copy(x, 3, dim=1)
        halves[0].neg_()
        same = x.to(torch.float32, copy=True)
        same.add_(1)
        product = torch.einsum("ij,kj->ik", x, x)
        product.mul_(2)
        choices = torch.cartesian_prod(x[0], x[1])
        choices.add_(1)
        return x * whole, pairs, row, turned, halves[0], same, product, choices, x + self.mask


class Overlaid(nn.Module):
    """What is written over views of which no definition says how it is in the whole."""

    def forward(self, x):
        a, b, c, d = x + 1, x[0] + 2, x + 3, x + 4
        torch.einsum("ij->ji", a).mul_(0.5)
        torch.meshgrid(x[1], b, indexing="ij")[1][:1].mul_(0.5)
        torch.cartesian_prod(c[0]).mul_(0.5)
        row = d[1]
        d.t_()
        row.add_(3)
        return a, b, c, torch.cat((d, d))


class States(nn.Module):
    """What is kept from call to call: a counter, rows written by position, a window that moves; and a tensor of the
    caller's that is written over."""

    class Window(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("last", torch.randn(2, 5))

        def forward(self, x):
            self.last[:, :-1] = self.last[:, 1:].clone()
            self.last[:, -1] = x
            return self.last.mean(1)

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("rows", torch.zeros(6, 4), persistent=False)
        self.window = self.Window()

    def forward(self, x, position, total):
        self.count.add_(1)
        self.rows.index_copy_(0, position, x)
        total.view(-1)[:2] += 0.5
        return self.rows.sum(0) * self.count, self.window(x[0, :2]) + total[0]


class Modes(nn.Module):
    """Parts that are computed without gradients and without autocast, one within the other."""

    def forward(self, x):
        with torch.no_grad():
            y = x.sin()
            with torch.autocast("cpu", enabled=False):
                z = y.cos() * 2
                z = z + x
            w = z * y
        return w + z, y


class Halved(nn.Module):
    """Python makes a number of half a size: a guard says for which sizes it is right."""

    def forward(self, x):
        return x[:, : int(x.shape[1] / 2)] * 2


class Pyramid(nn.Module):
    """Halved twice and enlarged again: guards say which sizes come back to themselves. Positions are counted from a mask."""

    def forward(self, x):
        half = F.avg_pool2d(x, 2)
        whole = x + F.interpolate(half + F.interpolate(F.avg_pool2d(half, 2), scale_factor=2), scale_factor=2)
        return whole, (x[0] > 0).cumsum(-1)


class Enlarged(nn.Module):
    """Right for half of the sizes, which are not those of one remainder."""

    def forward(self, x):
        half = F.max_pool2d(F.max_pool2d(x, 3, 2, 1), 3, 2, 1)
        return half + F.interpolate(F.max_pool2d(half, 3, 2, 1), scale_factor=2)


class Quantized(nn.Module):
    """As training for quantization leaves it."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.register_buffer("scales", torch.rand(4) * 0.004 + 0.002)
        self.register_buffer("zeros", torch.zeros(4, dtype=torch.int32))

    def forward(self, x):
        x = torch.fake_quantize_per_tensor_affine(x, 0.03, 3, -128, 127)
        weight = torch.fake_quantize_per_channel_affine(self.conv.weight, self.scales, self.zeros, 0, -127, 127)
        return torch.fake_quantize_per_tensor_affine(F.conv2d(x, weight, self.conv.bias), 0.02, 128, 0, 255)


class Unsupported(nn.Module):
    """Five things that are not supported, in two modules."""

    class Inner(nn.Module):
        def forward(self, x):
            return torch.linalg.eigvalsh(x), torch.linalg.svdvals(x)

    def __init__(self):
        super().__init__()
        self.inner = self.Inner()

    def forward(self, x):
        a, b = self.inner(x)
        return a, b, torch.igamma(x, x), torch.special.zeta(x, x), torch.linalg.matrix_exp(x)


class Trained(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.drop = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2, momentum=None, track_running_stats=False), nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.conv(x))


def evaluation(net):
    torch.manual_seed(7)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d) and module.running_mean is not None:
            module.running_mean.normal_(0, 0.2)
            module.running_var.uniform_(0.5, 1.5)
    return net.eval()


def without_sample_inputs(blob, name):
    """The archive without the inputs that torch adds for itself, and with fixed dates."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(blob)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
        for entry in old.infolist():
            if "sample_inputs" in entry.filename or "example_inputs" in entry.filename:
                continue
            if "serialization_id" in entry.filename:
                continue
            data = old.read(entry)
            if entry.filename.endswith(".json"):
                data = json.dumps(cleaned(json.loads(data), name in TRACED), separators=(",", ":")).encode()
            path = entry.filename.split("/", 1)
            path = entry.filename if len(path) == 1 else "model/" + path[1]
            new.writestr(zipfile.ZipInfo(path), data)
    return out.getvalue()


def cleaned(node, traced):
    """Stack traces are most of a small archive, and have paths of a machine; `from_node` differs from run to run."""
    if isinstance(node, dict):
        return {k: cleaned(v, traced) for k, v in node.items() if k != "from_node" and (traced or k != "stack_trace")}
    if isinstance(node, list):
        return [cleaned(v, traced) for v in node]
    if isinstance(node, str) and 'File "' in node:
        here = os.path.dirname(os.path.abspath(__file__)) + "/"
        site = os.path.dirname(os.path.dirname(torch.__file__)) + "/"
        return node.replace(here, "").replace(site, "site-packages/")
    return node


class Rotary(nn.Module):
    """Rotary positions by complex numbers, a table of them as a buffer, and a filter of frequencies that is learned."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(32).float(), 1 / 100 ** (torch.arange(4) / 4))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))
        self.filter = nn.Parameter(torch.randn(5, dtype=torch.complex64))
        self.mix = nn.Linear(4, 3).to(torch.complex64)

    def forward(self, x, z):
        q = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * self.turns[: x.shape[1]]
        y = torch.view_as_real(q).flatten(2)
        kept = torch.fft.irfft(torch.fft.rfft(y, dim=2) * self.filter, n=8, dim=2)
        w = self.mix(q + z.conj())
        w = torch.cat([w, w[:, :1] * 2j], 1)
        w[:, 0] = 1 - 1j
        return kept, w, w.abs().mean(-1)


class Spectrogram(nn.Module):
    """Magnitudes of a spectrum, and the signal that is left of it, at any length."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x):
        s = torch.stft(x, 16, 4, window=self.window, return_complex=True)
        power = s.abs() ** 2
        kept = s * torch.sigmoid(power - 1)
        y = torch.istft(kept, 16, 4, window=self.window)
        return torch.log(power + 1e-6), y


class Mixing(nn.Module):
    """Tokens that are mixed by a transform of both axes."""

    def forward(self, x):
        return torch.fft.fft2(x).real + x


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped_mm(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    """By the name and with the arguments that exported mixtures of experts have it."""
    ends = offs.tolist()
    rows = [input[begin:end] @ matrix for begin, end, matrix in zip([0] + ends, ends, weight)]
    return torch.cat(rows + [input.new_zeros(len(input) - ends[-1], weight.shape[2])])


@grouped_mm.register_fake
def _(input, weight, offs):
    return input.new_empty(input.shape[0], weight.shape[2])


class Experts(nn.Module):
    """Each row goes through the two of four layers that it chooses: rows are sorted by layer, and put back."""

    def __init__(self, width=6, inner=5, experts=4):
        super().__init__()
        self.choose = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, 2 * inner, width))
        self.down = nn.Parameter(torch.randn(experts, width, inner))

    def forward(self, x):
        shares, chosen = self.choose(x).softmax(-1).topk(2, -1)
        shares = shares / shares.sum(-1, keepdim=True)
        experts, order = chosen.reshape(-1).sort()
        ends = experts.float().histc(4, 0, 3).cumsum(0, dtype=torch.int32)
        op = torch.ops.transformers.grouped_mm_fallback
        gate, y = op(x[order // 2], self.up.transpose(1, 2), ends).chunk(2, -1)
        y = op(F.silu(gate) * y, self.down.transpose(1, 2), ends) * shares.reshape(-1)[order][:, None]
        back = torch.empty_like(order)
        back[order] = torch.arange(order.shape[0])
        return y[back].view(x.shape[0], 2, -1).sum(1)


class Chosen(nn.Module):
    """Results as long as data say: positions, what masks choose, what is there once."""

    def forward(self, x):
        whole = (2 * x).to(torch.int64)
        values, places, times = torch.unique(whole, return_inverse=True, return_counts=True)
        runs, run, lengths = torch.unique_consecutive(whole, return_inverse=True, return_counts=True)
        rows = torch.unique(whole[:, :1].sign(), dim=0)
        return (torch.nonzero(x > 0), 2 * x[x > 0.5], torch.masked_select(x, x[0] < 0), x[:, x[0] > 0].sum(1),
                values, places, times, runs, run, lengths, rows)


class Counted(nn.Module):
    """How often there is what, as often as is said, and values where a mask says so."""

    def forward(self, x):
        whole = (3 * x.abs()).to(torch.int64)
        y, z = x.clone(), x.clone()
        y[x[:, 0] > 0] = 2
        z[x > 0.5] = -1
        # Whether a mask is at hand or computed twice: it chooses as many.
        mask, more, waves = x[:, 1] < 0, x.clone(), x.clone()
        more[mask] += 2 * x[mask]
        waves[x > 0.25] = x[x > 0.25].cos()
        return (torch.bincount(whole.view(-1)), torch.bincount(whole.view(-1), minlength=40), torch.bincount(whole.view(-1), x.view(-1)),
                torch.repeat_interleave(x, whole[:, 0], 0), torch.repeat_interleave(x[0], 3, output_size=27), y, z, torch.argwhere(x > 0), more, waves)


class ReadOut(nn.Module):
    """A size that is read out of data: what is cut, numbered, repeated and filled by it, and it as a number."""

    def forward(self, x):
        n = (x[:, 0] > 0).sum().item()
        torch._check(n >= 0)
        torch._check(n <= x.shape[0])
        cut = x[:n]
        return (cut.relu(), x[n:] * 2, cut @ cut.t(), torch.arange(n) * 3, x[:1].expand(n, 9) + 1, torch.full((n, 2), 0.5),
                torch.cat([cut, x]).sum(0), x * (x[:, 1] > 0).sum().item())


class Boxes(nn.Module):
    """What detectors do with boxes: those that stay, whatever their class, what lies in them, and places where scores are high."""

    def forward(self, x, boxes, scores, classes, offsets, shares, weight):
        from torchvision import ops  # of all programs this one needs it

        rows = torch.cat([(classes % x.shape[0])[:, None].float(), boxes], 1)
        return (ops.nms(boxes, scores, 0.3), ops.batched_nms(boxes, scores, classes, 0.4), ops.roi_align(x, rows, (3, 2), 0.5, 2, True),
                ops.roi_align(x, rows, 2), *torch.where(scores.reshape(2, -1) > 0.5),
                ops.deform_conv2d(x, offsets, weight, padding=1), ops.deform_conv2d(x, offsets, weight, weight[:, 0, 0, 0], padding=(1, 1), mask=shares))


class Repeated(nn.Module):
    """Graphs that are run for each entry of an axis, one in the other, with states and without."""

    def __init__(self):
        super().__init__()
        self.cell, self.weight = nn.Linear(4, 4), nn.Parameter(torch.randn(4))

    def forward(self, x, h):
        def step(state, row):
            state = torch.tanh(self.cell(row) + state)
            return state, 2 * state

        last, rows = scan(step, h, x, dim=0)
        return last, rows, torch_map(lambda row: torch_map(lambda entry: (entry * self.weight).relu(), row).sum(0), x)


class Looped(nn.Module):
    """Graphs that run as often as data, or an axis of any length, say; one in the other; with complex states."""

    def __init__(self):
        super().__init__()
        self.cell, self.weight = nn.Linear(4, 4), nn.Parameter(torch.randn(4))
        self.register_buffer("turn", torch.polar(torch.ones(4), torch.randn(4)))

    def forward(self, x, h, n):
        zero = torch.zeros((), dtype=torch.int64)

        def step(state, row):
            state = torch.tanh(self.cell(row) + state)
            return state, 2 * state.reshape(-1)

        def turned(z, row):
            return z * self.turn, (z.real * row).sum(1)

        def triangle(i, y):
            return i + 1, while_loop(lambda j, z: j < i, lambda j, z: (j + 1, torch.cond(z.sum() > 0, lambda v: v - 1, lambda v: v + 2, (z,))), (zero, y))[1]

        times, grown = while_loop(lambda i, y: (i < n) & (y.abs().sum() < 40), lambda i, y: (i + 1, y + torch.tanh(self.cell(y)) * x.shape[0]), (zero, h))
        last, rows = scan(step, h, x, dim=0)
        back, _ = scan(step, h, x, dim=0, reverse=True)
        round, parts = scan(turned, torch.complex(h, h), x, dim=0)
        return (times, grown, while_loop(lambda i, y: i < 4, triangle, (zero, h))[1], last, rows, back, torch.view_as_real(round), parts,
                torch_map(lambda row: torch_map(lambda entry: (entry * self.weight).relu(), row).sum(0), x))


class Rounds(nn.Module):
    """Two loops of a small archive."""

    def forward(self, x, n):
        _, y = while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 0.5 + 1), (torch.zeros((), dtype=torch.int64), x[0]))
        return scan(lambda state, row: (state + row, state * row), y, x, dim=0)


class Related(nn.Module):
    """What is right for sizes that go together only."""

    def forward(self, x, y):
        z = x.reshape(-1, 8).sum(0)
        return z * 2 if x.shape[1] > y.shape[0] else z, y[:, None] - y


class Kept(nn.Module):
    """A cache that a plain object holds beside the module, and one that is empty at first."""

    class Cache:
        pass

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(6, 4), persistent=False)
        self.cache = self.Cache()
        self.cache.rows = self.rows

    def forward(self, x, position, past):
        self.cache.rows.index_copy_(0, position, x)
        return self.cache.rows.cumsum(0), torch.cat([torch.tensor([]), past], -2), torch.cat([past, torch.tensor([]), past], 1)


class Converted(nn.Module):
    """What a conversion makes is the tensor itself where it is of that type, and a copy elsewhere."""

    def forward(self, x):
        y = x * 2
        same, wide, copy = y.to(torch.float32), y.to(torch.float64), y.to(torch.float32, copy=True)
        same.add_(1)
        y.mul_(3)
        return y, same, wide, copy


class Bits(nn.Module):
    """What is written over the bits of a tensor, taken for those of whole numbers, is in the tensor, and the other way round."""

    def forward(self, x):
        y = x * 2
        bits = y.view(torch.int32)
        bits.add_(1)
        rows = x.clone()
        row = rows[1].view(torch.int32)
        row.bitwise_and_(-65536)
        tripled = x.clone()
        seen = tripled.view(torch.int32)
        tripled.mul_(3)
        return y, bits, rows, row, tripled, seen


class Between(nn.Module):
    """Entries between two of a table that only tensors say, of which the program asks where in its memory they begin."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(12, 3))

    def forward(self, x):
        n = torch.tensor(x.shape[0])
        part = self.table[6 - n : 6 + n, :]
        return part.unsqueeze(0) * x.sum()


class Placed(Between):
    """The same, of whose result it is a part where that is."""

    def forward(self, x):
        n = torch.tensor(x.shape[0])
        part = self.table[6 - n : 6 + n, :]
        return part.unsqueeze(0) * part.storage_offset()


class UnsupportedComplex(nn.Module):
    """Functions of complex numbers that no definition has, and such as take parts of real numbers beside them."""

    def forward(self, x):
        z = torch.complex(x, x)
        return torch.atan(z), torch.cat([z, x]), torch.asin(z)


class Masked(nn.Module):
    """Attention with masks of one column, which are for all keys, of numbers and of truth values."""

    def forward(self, q, k, mask):
        return F.scaled_dot_product_attention(q, k, k, attn_mask=mask), F.scaled_dot_product_attention(q[0], k[0], k[0], attn_mask=mask[0] > -1)


def seeded(name):
    """The name, by which what is random behind it is the same wherever the program stands in this file; of both its forms."""
    torch.manual_seed(zlib.crc32(name.removesuffix("_core").encode()))
    return name


class Asked(nn.Module):
    """A tensor of sizes, for which PyTorch asks about types that nobody wants to know; shifts of codes; phases, of which
    those of the first and the last frequency are 0 or half a turn, and the latter not less than none."""

    def forward(self, x, codes):
        sizes = torch.tensor([x.shape[0], x.shape[1]])
        return x / sizes[:1], codes >> 2, codes >> torch.tensor(8, dtype=torch.uint8), torch.angle(torch.fft.rfft(x))


def write(name, net, sets, dynamic=None, decompose=False):
    if sys.argv[1:] not in ([], ["legacy"]) and name not in sys.argv[1:]:
        return
    program = torch.export.export(net, sets[0], dynamic_shapes=dynamic)
    if decompose:
        program = program.run_decompositions()
    blob = io.BytesIO()
    torch.export.save(program, blob)
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "model.pt2"), "wb") as file:
        file.write(without_sample_inputs(blob.getvalue(), name))
    for k, inputs in enumerate(sets):
        data = os.path.join(folder, f"test_data_set_{k}")
        os.makedirs(data, exist_ok=True)
        # What the program changes goes in behind its inputs, as it was, and comes out behind its outputs.
        after, given = copy.deepcopy(net), copy.deepcopy(inputs)
        with torch.no_grad():
            outputs = after(*given)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for was, now in zip(net.buffers(), after.buffers()):
            if not torch.equal(was, now):
                inputs, outputs = inputs + (was,), outputs + (now,)
        outputs += tuple(now for was, now in zip(inputs, given) if not torch.equal(was, now))
        for kind, tensors in (("input", inputs), ("output", outputs)):
            for i, tensor in enumerate(tensors):
                if tensor.is_complex():
                    tensor = torch.view_as_real(tensor.resolve_conj())
                numpy.save(os.path.join(data, f"{kind}_{i}.npy"), tensor.detach().contiguous().numpy())


def main():
    if sys.argv[1:] == ["legacy"]:
        torch.manual_seed(3)
        write("legacy_conv", evaluation(ConvNet()), [(torch.randn(4, 3, 8, 8),), (torch.randn(2, 3, 12, 8),)],
              {"x": {0: Dim("batch", max=64), 2: 4 * Dim("h4", max=10)}})
        write("legacy_tied", evaluation(TiedNet()), [(torch.randint(0, 11, (2, 5)),)])
        write("legacy_masked", evaluation(MaskedNet()), [(torch.randn(2, 5, 3),)])
        return write("legacy_last", evaluation(LastNet()), [(torch.randn(2, 5, 3),)])
    for name, groups in operators.PROGRAMS.items():
        write("operators_" + name, operators.Operators(groups), [tuple(operators.inputs().values())])
    seeded("conv")
    images = [(torch.randn(4, 3, 8, 8),), (torch.randn(1, 3, 20, 9),)]
    sizes = {"x": {0: Dim("batch", min=1, max=64), 2: 4 * Dim("h4", min=2, max=10), 3: Dim("w", min=5, max=64)}}
    net = evaluation(ConvNet())
    write(seeded("conv"), net, images, sizes)
    write(seeded("conv_core"), net, images, sizes, decompose=True)
    write(seeded("tied"), evaluation(TiedNet()), [(torch.randint(0, 11, (2, 5)),)])
    write(seeded("unet"), evaluation(UNet()), [(torch.randn(2, 1, 16, 12),), (torch.randn(1, 1, 8, 20),)],
          {"x": {0: Dim("n", min=1, max=8), 2: 4 * Dim("h", min=2, max=64), 3: 4 * Dim("w", min=2, max=64)}})
    write(seeded("recurrent"), evaluation(Recurrent()), [(torch.randn(2, 4, 5),)])
    seeded("decoder")
    tokens = [tuple([torch.randint(0, 13, (1, t)), torch.randn(1, 2, p, 4), torch.randn(1, 2, p, 4)])
              for t, p in ((3, 5), (2, 9))]
    past, new = Dim("past", min=1, max=256), Dim("new", min=2, max=64)
    for core in (False, True):
        write(seeded("decoder_core" if core else "decoder"), evaluation(Decoder()), tokens,
              {"ids": {1: new}, "keys": {2: past}, "values": {2: past}}, decompose=core)
    write(seeded("resizes"), evaluation(Resizes()), [(torch.randn(1, 2, 5, 6),)])
    write(seeded("unbatched"), evaluation(Unbatched()), [(torch.randn(3, 9), torch.randn(3, 9, 8)), (torch.randn(3, 10), torch.randn(3, 10, 13))],
          {"x": {1: Dim.AUTO}, "y": {1: Dim.AUTO, 2: Dim.AUTO}})
    for form in ("", "_batches"):
        write(seeded("deep" + form), evaluation(Deep()), [(torch.randn(t, n, 3), torch.randn(4, n, 3), torch.randn(4, n, 4)) for t, n in ((4, 2), (4, 5))][: 2 if form else 1],
              {"x": {1: Dim.AUTO}, "h": {1: Dim.AUTO}, "c": {1: Dim.AUTO}} if form else None)
    write(seeded("bags"), evaluation(Bags()), [(torch.randint(0, 7, s), torch.randn(s), torch.randint(0, 7, (n,)), torch.tensor(o))
                                       for s, n, o in (((3, 5), 8, [0, 3, 3, 6]), ((4, 2), 5, [0, 2]))],
          {"rows": {0: Dim.AUTO, 1: Dim.AUTO}, "weights": {0: Dim.AUTO, 1: Dim.AUTO}, "line": {0: Dim.AUTO}, "offsets": {0: Dim.AUTO}})
    write(seeded("areas"), evaluation(Areas()), [(torch.randn(2, 1, *s), torch.randn(t)) for s, t in (((7, 9), (4, 5)), ((6, 8), (3, 11)))],
          {"x": {2: Dim.AUTO, 3: Dim.AUTO}, "y": {0: Dim.AUTO, 1: Dim.AUTO}})
    write(seeded("positions"), evaluation(Positions()), [(torch.randn(5),), (torch.randn(8),)], {"x": {0: Dim.AUTO}})
    write(seeded("choices"), evaluation(Choices()), [(torch.randn(3, 3).abs(),), (-torch.randn(5, 3).abs(),)], {"x": {0: Dim.AUTO}})
    write(seeded("views"), evaluation(Views()), [(torch.randn(4, 5),), (torch.randn(4, 8),)], {"x": {1: Dim("columns", min=3, max=64)}})
    for core in (False, True):
        write(seeded("states_core" if core else "states"), evaluation(States()),
              [(torch.randn(n, 4), torch.tensor([4, 1, 2][:n]), torch.randn(2, 2)) for n in (3, 2)],
              {"x": {0: Dim.AUTO}, "position": {0: Dim.AUTO}, "total": None}, decompose=core)
    write(seeded("copied"), evaluation(Copied()), [(torch.randn(4, 6),)])
    write(seeded("overlaid"), evaluation(Overlaid()), [(torch.randn(4, 6),)])
    write(seeded("modes"), evaluation(Modes()), [(torch.randn(3, 4),), (torch.randn(5, 2),)], {"x": {0: Dim.AUTO, 1: Dim.AUTO}})
    write(seeded("halved"), evaluation(Halved()), [(torch.randn(2, 8),), (torch.randn(3, 9),)], {"x": {0: Dim.AUTO, 1: Dim.AUTO}})
    seeded("rotary")
    turned = [(torch.randn(b, t, 8), torch.randn(1, t, 4, dtype=torch.complex64)) for b, t in ((3, 5), (2, 9))]
    for core in (False, True):
        write(seeded("rotary_core" if core else "rotary"), evaluation(Rotary()), turned, {"x": {0: Dim.AUTO, 1: Dim("tokens", min=2, max=32)}, "z": {1: Dim("tokens", min=2, max=32)}}, decompose=core)
    write(seeded("spectrogram"), evaluation(Spectrogram()), [(torch.randn(2, 40),), (torch.randn(3, 53),)], {"x": {0: Dim.AUTO, 1: Dim.AUTO}})
    write(seeded("mixing"), evaluation(Mixing()), [(torch.randn(2, 6, 8),), (torch.randn(3, 7, 5),)], {"x": {0: Dim.AUTO, 1: Dim.AUTO, 2: Dim.AUTO}})
    write(seeded("quantized"), evaluation(Quantized()), [(torch.randn(2, 3, 6, 5),)])
    write(seeded("unsupported"), evaluation(Unsupported()), [(torch.randn(3, 3),)])
    write(seeded("unsupported_complex"), evaluation(UnsupportedComplex()), [(torch.randn(3, 3),)])
    write(seeded("trained"), Trained().train(), [(torch.randn(1, 1, 6, 6),)])
    write(seeded("pyramid"), evaluation(Pyramid()), [(torch.randn(1, 2, *s),) for s in ((8, 12), (20, 8))], {"x": {2: Dim.AUTO, 3: Dim.AUTO}})
    write(seeded("enlarged"), evaluation(Enlarged()), [(torch.randn(1, 2, t, 8),) for t in (16, 40)], {"x": {2: Dim.AUTO}})
    write(seeded("chosen"), evaluation(Chosen()), [(torch.randn(4, 9),), (torch.randn(7, 9),)], {"x": {0: Dim("rows", min=2, max=64)}})
    write(seeded("counted"), evaluation(Counted()), [(torch.randn(4, 9),), (torch.randn(7, 9),)], {"x": {0: Dim("rows", min=2, max=64)}})
    write(seeded("read_out"), evaluation(ReadOut()), [(torch.randn(4, 9),), (torch.randn(7, 9),), (-torch.rand(3, 9),)], {"x": {0: Dim("rows", min=2, max=64)}})
    write(seeded("boxes"), evaluation(Boxes()), [(torch.randn(2, 2, 8, 8), torch.rand(n, 4).cumsum(1) * 3, torch.rand(n), torch.randint(0, 3, (n,)), torch.randn(2, 18, 8, 8), torch.rand(2, 9, 8, 8), torch.randn(3, 2, 3, 3)) for n in (6, 10)],
          {"x": None, "boxes": {0: 2 * Dim("pairs", min=1, max=32)}, "scores": {0: 2 * Dim("pairs", min=1, max=32)}, "classes": {0: 2 * Dim("pairs", min=1, max=32)}, "offsets": None, "shares": None, "weight": None})
    write(seeded("experts"), evaluation(Experts()), [(torch.randn(7, 6),), (torch.randn(3, 6),)], {"x": {0: Dim("rows", min=2, max=64)}})
    write(seeded("masked"), evaluation(Masked()), [(torch.randn(2, 2, n, 4), torch.randn(2, 2, m, 4), torch.randn(2, 2, n, 1)) for n, m in ((3, 5), (4, 3))],
          {"q": {2: Dim.AUTO}, "k": {2: Dim.AUTO}, "mask": {2: Dim.AUTO}})
    write(seeded("repeated"), evaluation(Repeated()), [(torch.randn(5, 3, 4), torch.randn(3, 4))])
    write(seeded("looped"), evaluation(Looped()), [(torch.randn(t, b, 4), torch.randn(b, 4), torch.tensor(n)) for t, b, n in ((5, 3, 3), (7, 2, 0), (2, 3, 60))],
          {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "h": {0: Dim.AUTO}, "n": None})
    write(seeded("rounds"), evaluation(Rounds()), [(torch.randn(t, 2), torch.tensor(n)) for t, n in ((3, 2), (5, 0))], {"x": {0: Dim.AUTO}, "n": None})
    write(seeded("related"), evaluation(Related()), [(torch.randn(4, 6), torch.randn(5)), (torch.randn(2, 12), torch.randn(3))],
          {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "y": {0: Dim.AUTO}})
    write(seeded("converted"), evaluation(Converted()), [(torch.randn(3, 4),), (torch.randn(5, 4),)], {"x": {0: Dim.AUTO}})
    write(seeded("kept"), evaluation(Kept()), [(torch.randn(n, 4), torch.tensor([4, 1, 2][:n]), torch.randn(1, 2, p, 4)) for n, p in ((3, 5), (2, 7))],
          {"x": {0: Dim.AUTO}, "position": {0: Dim.AUTO}, "past": {2: Dim.AUTO}})
    write(seeded("asked"), evaluation(Asked()), [(torch.randn(b, n), torch.randint(0, 256, (b, 3), dtype=torch.uint8)) for b, n in ((3, 8), (5, 12))],
          {"x": {0: Dim.AUTO, 1: Dim.AUTO}, "codes": {0: Dim.AUTO}})
    seeded("bits")
    bits = [(torch.randn(3, 4),), (torch.randn(2, 4),)]
    for core in (False, True):
        write(seeded("bits_core" if core else "bits"), evaluation(Bits()), bits, {"x": {0: Dim.AUTO}}, decompose=core)
    rows = {"x": {0: Dim("rows", min=2, max=6)}}
    write(seeded("between"), evaluation(Between()), [(torch.randn(3, 2),), (torch.randn(5, 2),)], rows)
    write(seeded("placed"), evaluation(Placed()), [(torch.randn(3, 2),)], rows)


if __name__ == "__main__":
    # The order of texts in sets, and sums by several threads, would differ from run to run.
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable] + sys.argv, os.environ | {"PYTHONHASHSEED": "0"})
    torch.set_num_threads(1)
    import make  # modules have names of this file, not of a script

    make.main()
