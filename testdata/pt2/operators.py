"""Programs of every operator that a clause takes, each with arguments that are not its defaults.

Read by make.py. An entry is a function of the module's inputs; its results are tensors.
"""

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed

A = torch.ops.aten


def inputs():
    """x, y: [2, 3, 4]; p: the same, positive; v: [4]; i, j: whole numbers; c: truth values; signal, image, volume: [N, C, ...]."""
    g = torch.Generator().manual_seed(11)
    r = lambda *s: torch.randn(*s, generator=g)
    x, y = r(2, 3, 4), r(2, 3, 4)
    y[0, 1, 2] = x[0, 1, 2]
    i = torch.randint(-9, 10, (2, 3, 4), generator=g)
    j = torch.randint(1, 6, (2, 3, 4), generator=g)
    return {"x": x, "y": y, "p": r(2, 3, 4).abs() + 0.1, "v": r(4), "i": i, "j": j, "c": x > y,
            "signal": r(2, 4, 9), "image": r(2, 4, 7, 6), "volume": r(1, 2, 5, 4, 6)}


ELEMENTS = [
    lambda t: [f(t["x"]) for f in (A.abs.default, A.ceil.default, A.floor.default, A.round.default, A.sign.default, A.sgn.default,
                                   A.neg.default, A.relu.default, A.relu6.default, A.exp.default, A.expm1.default, A.exp2.default)],
    lambda t: [f(t["x"]) for f in (A.erf.default, A.special_erf.default, A.sin.default, A.cos.default, A.tan.default, A.tanh.default,
                                   A.sinh.default, A.cosh.default, A.asinh.default, A.atan.default, A.sigmoid.default, A.special_expit.default)],
    lambda t: [f(t["p"]) for f in (A.sqrt.default, A.rsqrt.default, A.log.default, A.log1p.default, A.log2.default, A.reciprocal.default, A.square.default)]
    + [f(t["x"].clamp(-0.9, 0.9)) for f in (A.asin.default, A.acos.default, A.atanh.default)] + [A.acosh.default(t["p"] + 1)],
    lambda t: [f(t["x"]) for f in (A.silu.default, A.mish.default, A.log_sigmoid.default, A.hardswish.default, A.hardsigmoid.default,
                                   A.selu.default)],
    lambda t: [A.gelu.default(t["x"]), A.gelu.default(t["x"], approximate="tanh"), A.elu.default(t["x"], 0.7),
               A.celu.default(t["x"], 0.6), A.leaky_relu.default(t["x"], 0.3), A.softplus.default(t["x"] * 3, 2.0, 30.0), A.hardtanh.default(t["x"], -0.5, 0.7),
               A.clamp.default(t["x"], -0.4), A.clamp.default(t["x"], None, 0.4), A.clamp.default(t["x"], -0.3, 0.4), A.clamp.Tensor(t["x"], t["y"] - 0.5, t["y"] + 0.1)],
    lambda t: [A.clamp_min.default(t["x"], 0.2), A.clamp_min.Tensor(t["x"], t["v"]), A.clamp_max.default(t["x"], 0.2), A.clamp_max.Tensor(t["x"], t["v"]),
               A.maximum.default(t["x"], t["v"]), A.minimum.default(t["x"], t["v"]), A.max.other(t["x"], t["y"]), A.min.other(t["x"], t["y"])],
    lambda t: [A.add.Tensor(t["x"], t["v"], alpha=2.5), A.add.Scalar(t["x"], 3, 0.5), A.sub.Tensor(t["x"], t["v"], alpha=2.5), A.sub.Scalar(t["x"], 3, 0.5),
               A.rsub.Tensor(t["x"], t["v"], alpha=2.5), A.rsub.Scalar(t["x"], 3, 0.5), A.mul.Tensor(t["x"], t["v"]), A.mul.Scalar(t["x"], 1.5),
               A.add.Tensor(t["i"], t["j"], alpha=3), A.sub.Tensor(t["i"], t["j"], alpha=-2), A.mul.Tensor(t["i"], t["x"])],
    lambda t: [A.div.Tensor(t["x"], t["p"]), A.div.Scalar(t["x"], 0.4), A.true_divide.Tensor(t["i"], t["j"]), A.div.Tensor_mode(t["x"], t["p"], rounding_mode="floor"),
               A.div.Tensor_mode(t["i"], t["j"], rounding_mode="trunc"), A.div.Tensor_mode(t["x"], t["p"], rounding_mode=None)],
    lambda t: [A.remainder.Tensor(t["x"], t["p"]), A.remainder.Scalar(t["x"], -0.7), A.remainder.Tensor(t["i"], t["j"]), A.remainder.Scalar(t["i"], -4),
               A.fmod.Tensor(t["x"], t["p"]), A.fmod.Scalar(t["x"], -0.7), A.fmod.Tensor(t["i"], t["j"]), A.fmod.Scalar(t["i"], -4)],
    lambda t: [A.pow.Tensor_Scalar(t["p"], 1.5), A.pow.Tensor_Tensor(t["p"], t["x"]), A.pow.Scalar(1.7, t["x"]), A.pow.Tensor_Scalar(t["i"], 3),
               A.addcmul.default(t["x"], t["y"], t["p"], value=0.3), A.addcdiv.default(t["x"], t["y"], t["p"], value=0.3), A.lerp.Scalar(t["x"], t["y"], 0.3),
               A.prelu.default(t["x"], t["v"][:3]), A.outer.default(t["v"], t["v"][1:])],
    lambda t: [f(t["x"], t["y"]) for f in (A.eq.Tensor, A.ne.Tensor, A.lt.Tensor, A.le.Tensor, A.gt.Tensor, A.ge.Tensor)]
    + [f(t["i"], 2) for f in (A.eq.Scalar, A.ne.Scalar, A.lt.Scalar, A.le.Scalar, A.gt.Scalar, A.ge.Scalar)],
    lambda t: [f(t["c"], t["x"] > 0) for f in (A.logical_and.default, A.logical_or.default, A.logical_xor.default, A.bitwise_and.Tensor, A.bitwise_or.Tensor, A.bitwise_xor.Tensor)]
    + [f(t["i"], t["j"]) for f in (A.bitwise_and.Tensor, A.bitwise_or.Tensor, A.bitwise_xor.Tensor, A.__and__.Tensor, A.__or__.Tensor)]
    + [A.bitwise_and.Scalar(t["i"], 6), A.bitwise_or.Scalar(t["i"], 6), A.bitwise_xor.Scalar(t["i"], 6), A.bitwise_not.default(t["i"]), A.bitwise_not.default(t["c"]),
       A.logical_not.default(t["c"]), A.logical_not.default(t["i"] - 2)],
    lambda t: [A.isnan.default(t["x"] / (t["x"] * 0)), A.isinf.default(t["x"] / (t["x"] * 0)), A.where.self(t["c"], t["x"], t["v"]), A.where.ScalarOther(t["c"], t["x"], 2.5),
               A.where.ScalarSelf(t["c"], 2.5, t["x"]), A.where.Scalar(t["c"], 1.5, -2.0), A.masked_fill.Scalar(t["x"], t["c"], -3.5), A.masked_fill.Tensor(t["x"], t["c"], t["v"][0])],
    lambda t: [A.to.dtype(t["x"] * 3, torch.int32), A._to_copy.default(t["x"], dtype=torch.float16), A.type_as.default(t["i"], t["x"]), A.to.other(t["x"] * 3, t["i"]),
               torch.ops.prims.convert_element_type.default(t["i"], torch.float32), A.to.dtype(t["x"] > 0, torch.int64)],
]

SHAPES = [
    lambda t: [A.view.default(t["x"], [6, -1]), A.reshape.default(t["x"], [-1, 3]), A.flatten.using_ints(t["x"], 1, 2), A.unflatten.int(t["x"], 2, [2, -1]),
               A.permute.default(t["x"], [2, 0, 1]), A.transpose.int(t["x"], 0, -1), A.t.default(t["x"][0]), A.unsqueeze.default(t["x"], -2), A.squeeze.dim(t["x"][:1], 0),
               A.squeeze.default(t["x"][:, :1]), A.squeeze.dims(t["x"][:1, :1], [0, 1]), A._unsafe_view.default(t["x"], [4, 6])],
    lambda t: [A.slice.Tensor(t["x"], 2, 1, 4, 2), A.slice.Tensor(t["x"], 1, -2), A.select.int(t["x"], 1, -1), A.narrow.default(t["x"], 2, 1, 2), A.flip.default(t["x"], [0, 2]),
               A.expand.default(t["v"], [3, -1]), A.expand_as.default(t["v"], t["x"]), A.repeat.default(t["v"], [2, 3]), A.tile.default(t["x"], [2]),
               A.copy.default(t["x"], t["v"]), A.clone.default(t["x"])],
    lambda t: [*A.split.Tensor(t["x"], 3, 2), *A.split_with_sizes.default(t["x"], [1, 3], 2), *A.chunk.default(t["x"], 2, 1), *A.unbind.int(t["x"], 1)],
    lambda t: [A.cat.default([t["x"], t["y"]], 1), A.stack.default([t["x"], t["y"]], -1), A.slice_scatter.default(t["x"], t["y"][:, :, :2], 2, 1, 3),
               A.select_scatter.default(t["x"], t["y"][:, 0], 1, 2), A.tril.default(t["x"], 1), A.triu.default(t["x"], -1)],
    lambda t: [A.constant_pad_nd.default(t["x"], [1, 2, 0, 1], 0.5), A.constant_pad_nd.default(t["x"], [-1, 2]), A.pad.default(t["x"], [1, 1], "reflect"), A.pad.default(t["x"], [2, 0], "constant", -1.0),
               A.reflection_pad1d.default(t["signal"], [2, 1]), A.reflection_pad2d.default(t["image"], [1, 2, 3, 0]), A.replication_pad1d.default(t["signal"], [2, 1]), A.replication_pad2d.default(t["image"], [1, 0, 2, 3])],
    lambda t: [A.embedding.default(t["x"][0], t["j"] % 3), A.index_select.default(t["x"], 1, torch.tensor([2, 0, 2])), A.gather.default(t["x"], 1, t["j"][:, :2] % 3),
               A.index.Tensor(t["x"], [None, torch.tensor([2, 0])]), A.index.Tensor(t["x"], [torch.tensor([1, 0]), torch.tensor([2, 1])]),
               A.scatter.src(t["x"], 2, t["j"][:, :, :2] % 4, t["y"][:, :, :2]), A.scatter.value(t["x"], 1, t["j"][:, :1] % 3, 2.5), A.scatter_add.default(t["x"], 1, t["j"] % 3, t["y"])],
    lambda t: [A.sum.default(t["x"]), A.sum.dim_IntList(t["x"], [0, 2]), A.sum.dim_IntList(t["x"], [1], True), A.mean.default(t["x"]), A.mean.dim(t["x"], [-1], True), A.prod.default(t["p"]), A.prod.dim_int(t["p"], 1),
               A.amax.default(t["x"], [0]), A.amin.default(t["x"], [1, 2], True), A.max.default(t["x"]), A.min.default(t["x"]), A.logsumexp.default(t["x"], [1])],
    lambda t: [*A.max.dim(t["x"], 1), *A.min.dim(t["x"], 2, True), A.argmax.default(t["x"], 1), A.argmax.default(t["x"]), A.argmin.default(t["x"], 2, True), A.argmin.default(t["x"]),
               A.any.default(t["c"]), A.any.dim(t["c"], 1), A.any.dims(t["c"], [0, 2], True), A.all.default(t["c"]), A.all.dim(t["c"], 2, True), A.all.dims(t["c"], [0, 1])],
    lambda t: [A.var.default(t["x"]), A.var.default(t["x"], False), A.var.dim(t["x"], [1], False), A.var.correction(t["x"], [1, 2], correction=2, keepdim=True), A.std.dim(t["x"], [2]), A.std.correction(t["x"], [0], correction=0),
               *A.var_mean.correction(t["x"], [2], correction=1), A.linalg_vector_norm.default(t["x"], 2, [1]), A.linalg_vector_norm.default(t["x"], 1), A.norm.ScalarOpt_dim(t["x"], 2, [1])],
    lambda t: [*A.topk.default(t["x"], 2, 1), *A.topk.default(t["x"], 3, -1, False), *A.sort.default(t["x"], 2), *A.sort.stable(t["x"], stable=True, dim=1, descending=True), A.cumsum.default(t["x"], 1)],
    lambda t: [A.zeros.default([2, 3]), A.ones.default([3]), A.full.default([2], 1.5), A.new_zeros.default(t["x"], [2]), A.new_ones.default(t["x"], [2]), A.new_full.default(t["x"], [2], 2.5),
               A.zeros_like.default(t["x"]), A.ones_like.default(t["x"]), A.full_like.default(t["x"], -1.5), A.fill.Scalar(t["x"], 0.5), A.scalar_tensor.default(2.5),
               A.arange.default(5), A.arange.start(2, 7), A.arange.start_step(1, 8, 3), A.arange.start_step(0.5, 3, 0.75), A.arange.start_step(0, 2.1, 0.3)],
]

LAYERS = [
    lambda t: [A.conv1d.default(t["signal"], t["signal"][:1, :2, :3].repeat(6, 1, 1), t["v"].repeat(2)[:6], [2], [1], [2], 2), A.conv1d.padding(t["signal"], t["signal"][:, :, :4], None, [1], "same"),
               A.conv2d.default(t["image"], t["image"][:, :, :3, :2], t["v"][:2], [2, 1], [1, 0], [1, 2], 1), A.conv2d.padding(t["image"], t["image"][:, :, :2, :2], None, [1, 1], "same", [2, 1]),
               A.conv2d.padding(t["image"], t["image"][:, :, :3, :2], None, [1, 2], "valid"), A.conv3d.default(t["volume"], t["volume"][:, :, :2, :3, :2], None, [1, 2, 1], [1, 0, 1])],
    lambda t: [A.convolution.default(t["image"], t["image"][:, :2, :3, :2], t["v"][:2], [1, 2], [0, 1], [1, 1], False, [0, 0], 2),
               A.convolution.default(t["image"][:, :2], t["image"][:, :3, :3, :2], t["v"][:3], [2, 3], [1, 0], [1, 2], True, [1, 2], 1)],
    lambda t: [A.conv_transpose1d.default(t["signal"], t["signal"][:1].permute(1, 0, 2)[:, :, :3].repeat(1, 2, 1), t["v"], [2], [1], [1], 2, [2]),
               A.conv_transpose2d.input(t["image"][:, :2], t["image"][:, :3, :3, :2], None, [2, 1], [1, 0], [1, 0])],
    lambda t: [A.avg_pool1d.default(t["signal"], [3], [2], [1]), A.avg_pool2d.default(t["image"], [3, 2], [2, 1], [1, 1], True, False), A.avg_pool2d.default(t["image"], [3, 2], [2, 2], [1, 0], False, True),
               A.max_pool1d.default(t["signal"], [3], [2], [1], [2]), A.max_pool2d.default(t["image"], [3, 2], [2, 1], [1, 0], [1, 2], True), A.max_pool2d_with_indices.default(t["image"], [2, 3], [2, 2], [1, 1])[0],
               A.adaptive_avg_pool2d.default(t["image"], [1, 1]), A.avg_pool3d.default(t["volume"], [2, 2, 3], [1, 2, 1]), A.max_pool3d.default(t["volume"], [2, 2, 3], [1, 2, 1])],
    lambda t: [A.batch_norm.default(t["image"], t["v"], t["v"] + 1, t["v"] * 0.5, t["v"].abs() + 0.2, False, 0.1, 0.01, True), A.layer_norm.default(t["x"], [3, 4], None, None, 0.1), A.layer_norm.default(t["x"], [4], t["v"], t["v"] + 1, 0.01),
               A.native_layer_norm.default(t["x"], [4], t["v"], t["v"] + 1, 0.02)[0], A.group_norm.default(t["image"], 2, t["v"], t["v"] + 1, 0.02), A.instance_norm.default(t["image"], t["v"], t["v"] + 1, None, None, True, 0.1, 0.03, True),
               A.rms_norm.default(t["x"], [4], t["v"], 0.05)],
    lambda t: [A.mm.default(t["x"][0], t["y"][1].t()), A.bmm.default(t["x"], t["y"].transpose(1, 2)), A.matmul.default(t["x"], t["v"]), A.addmm.default(t["v"], t["x"][0].t(), t["y"][0].repeat(1, 1)[:, :4], beta=0.5, alpha=2.0),
               A.baddbmm.default(t["x"][:, :, :3], t["x"], t["y"].transpose(1, 2), beta=0.5, alpha=2.0), A.linear.default(t["x"], t["y"][0], t["v"][:3])],
    lambda t: [A.softmax.int(t["x"], 1), A._softmax.default(t["x"], 2, False), A.log_softmax.int(t["x"], 0), A._log_softmax.default(t["x"], 1, False), A._safe_softmax.default(t["x"], 2),
               A.scaled_dot_product_attention.default(t["image"], t["image"] * 0.5, t["image"] + 1), A.scaled_dot_product_attention.default(t["image"], t["image"] * 0.5, t["image"] + 1, None, 0.0, True),
               A.scaled_dot_product_attention.default(t["image"], t["image"] * 0.5, t["image"] + 1, scale=0.3)],
    lambda t: [A.upsample_nearest1d.vec(t["signal"], [14], None), A.upsample_nearest2d.vec(t["image"], None, [2.0, 1.5]), A.upsample_nearest2d.default(t["image"], [5, 9]), A.upsample_linear1d.vec(t["signal"], [14], True, None),
               A.upsample_bilinear2d.vec(t["image"], None, False, [2.0, 1.5]), A.upsample_bilinear2d.vec(t["image"], [5, 9], True, None), A.upsample_bilinear2d.default(t["image"], [11, 4], False)],
    lambda t: [A.pixel_shuffle.default(t["image"], 2), A.pixel_unshuffle.default(t["image"][:, :, :6], 2)],
]


COMPOSED = [
    lambda t: [A.roll.default(t["x"], [1, -2], [1, 2]), A.roll.default(t["x"], [5]), A.rot90.default(t["x"], 1, [0, 2]), A.rot90.default(t["x"], 2, [1, 2]), A.rot90.default(t["x"], 3, [2, 1]),
               A.mT.default(t["x"]), A.movedim.intlist(t["image"], [0, -1], [2, 0]), A.channel_shuffle.default(t["image"], 2), A.unfold.default(t["x"], 1, 2, 1), A.unfold.default(t["x"], 2, 2, 2),
               A.take.default(t["x"], t["j"] * 3), A.repeat_interleave.self_int(t["x"], 2, 1), A.repeat_interleave.self_int(t["v"], 3), *A.meshgrid.indexing([t["v"], t["v"][:2]], indexing="xy"), *A.meshgrid.default([t["v"], t["v"][:2]])],
    lambda t: [A.einsum.default("abc,dc->bad", [t["x"], t["y"][0]]), A.einsum.default("ii->i", [t["x"][0, :, :3]]), A.diagonal.default(t["x"], 1, 1, 2), A.diagonal.default(t["x"], -1, 2, 0), A.diag_embed.default(t["x"]),
               A.mv.default(t["x"][0], t["v"]), A.dot.default(t["v"], t["v"] + 1), A.addmv.default(t["v"][:3], t["x"][0], t["v"], beta=0.5, alpha=2.0), A.bilinear.default(t["x"], t["y"], t["image"][:, :, 0, :4].reshape(2, 4, 4), t["v"][:2])],
    lambda t: [A.index.Tensor(t["image"], [None, torch.tensor([1, 3]), torch.tensor([2, 0])]), A.index.Tensor(t["image"], [torch.tensor([1, 0]), None, torch.tensor([[2, 0], [1, -1]])]),
               A.index_put.default(t["x"], [torch.tensor([1, 0]), torch.tensor([2, -1])], t["y"][0, :2]), A.index_put.default(t["x"], [None, torch.tensor([1, 1])], t["y"][:, :2], True),
               A.index_put.default(t["x"], [None, None, torch.tensor([3, 0])], t["v"][1]), A.index_put.default(t["x"], [t["c"]], t["v"][1]), A.index_put.default(t["x"], [t["c"][:, 0, 0]], t["v"][1], True),
               A.index_add.default(t["x"], 1, torch.tensor([2, 0]), t["y"][:, :2], alpha=0.5), A.index_copy.default(t["x"], 2, torch.tensor([2, 0]), t["y"][:, :, :2])],
    lambda t: [A.scatter.src(t["x"], 2, torch.argsort(t["j"], 2)[:, :2, :2], t["y"]), A.scatter_add.default(t["x"], 1, t["j"][:, :2, :3] % 3, t["y"]),
               *[A.scatter_reduce.two(t["x"], 1, t["j"][:, :2] % 3, t["y"], how) for how in ("sum", "prod", "amax", "amin")]],
    lambda t: [A.searchsorted.Tensor(torch.tensor([-1.0, 0.0, 0.5]), t["x"]), A.searchsorted.Tensor(t["x"].sort(2).values, t["y"], right=True), A.searchsorted.Tensor(torch.tensor([1, 3, 3]), t["j"], side="right", out_int32=True),
               A.bucketize.Tensor(t["j"], torch.tensor([1, 3, 5])), A.bucketize.Tensor(t["j"], torch.tensor([1, 3, 5]), right=True), A.bucketize.Tensor(t["x"] / (t["x"] - t["x"]), torch.tensor([0.0]))],
    lambda t: [A.cumprod.default(t["x"], 1), A.cumprod.default(t["j"], 2), A.cummax.default(t["x"], 1)[0], A.logcumsumexp.default(t["x"] * 30, 2), *A.median.dim(t["x"], 2), *A.kthvalue.default(t["x"], 2, 1, True)],
    lambda t: [A.floor_divide.default(t["i"], t["j"]), A.floor_divide.default(t["i"], -t["j"]), A.floor_divide.default(t["x"], t["p"]), A.div.Tensor_mode(t["i"], -t["j"], rounding_mode="floor"), A.div.Tensor_mode(t["x"], t["p"], rounding_mode="trunc"),
               A.hypot.default(t["x"], t["y"]), A.hypot.default(t["x"] * 1e30, t["y"] * 0) * 1e-30, A.atan2.default(t["x"], t["y"]), A.atan2.default(t["x"] * torch.tensor([0.0, -0.0, 1, 1]), t["y"] * torch.tensor([0.0, 1, -0.0, 0])), A.logaddexp.default(t["x"], t["y"]), A.logaddexp.default(t["v"] - float("inf"), t["v"] - float("inf")).isinf(),
               *[f(torch.tensor([1.0, 1, -1, -1]) * (t["v"].abs() / (t["v"].abs() * 0)), torch.tensor([1.0, -1, 1, -1]) * (t["p"][0, 0] / (t["p"][0, 0] * 0)))
                 for f in (A.atan2.default, lambda y, x: A.hypot.default(y, x).isinf(), lambda y, x: A.hypot.default(y, x - x).isinf())]],
    lambda t: [A.glu.default(t["x"], 2), A.hardshrink.default(t["x"], 0.7), A.softshrink.default(t["x"], 0.3), A.threshold.default(t["x"], 0.2, -1.5), A.one_hot.default(t["j"], 7),
               A.pairwise_distance.default(t["x"], t["y"], 3.0), A.cosine_similarity.default(t["x"], t["y"], 1), *[A.linalg_vector_norm.default(t["x"], p, [1]) for p in (3.0, 0.0, float("inf"), -float("inf"))]],
    lambda t: [A.grid_sampler.default(t["image"], t["image"][:, :3, :, :2] * 0.8, mode, padding, corners) for mode in (0, 1, 2) for padding in (0, 1, 2) for corners in (True, False)]
    + [A.affine_grid_generator.default(t["x"][:, :2, :3], [2, 3, 4, 5], True), A.im2col.default(t["image"], [3, 2], [1, 2], [1, 0], [2, 1]), A.col2im.default(t["image"].reshape(2, 4, 42), [8, 7], [2, 2], [1, 1], [0, 0], [1, 1])],
    lambda t: [A.adaptive_avg_pool2d.default(t["image"], [3, 4]), A.adaptive_avg_pool1d.default(t["signal"], [4]), A.adaptive_avg_pool3d.default(t["volume"], [2, 3, 4]), A.adaptive_max_pool2d.default(t["image"], [3, 4])[0], A.adaptive_max_pool2d.default(t["image"], [1, 1])[0],
               A.avg_pool2d.default(t["image"], [3, 2], [2, 1], [1, 1], True, True, 4), *A.max_pool2d_with_indices.default(t["image"], [3, 2], [2, 1], [1, 0]),
               A.max_unpool2d.default(*A.max_pool2d_with_indices.default(t["image"], [2, 2]), [7, 6]), A.max_unpool2d.default(*A.max_pool2d_with_indices.default(t["image"], [3, 2], [1, 1]), [7, 6])],
    lambda t: [A._upsample_nearest_exact2d.vec(t["image"], [5, 9], None), A._upsample_nearest_exact1d.vec(t["signal"], None, [1.7]), *[A.upsample_bicubic2d.vec(t["image"], size, corners, by) for corners in (True, False) for size, by in (([5, 9], None), (None, [2.0, 1.5]))],
               A._upsample_bilinear2d_aa.vec(t["image"], [3, 9], False, None), A._upsample_bicubic2d_aa.vec(t["image"], [3, 4], False, None)],
    lambda t: [*A.rnn_tanh.input(t["x"], t["p"][:, :2, :].transpose(0, 1).contiguous()[:, :, :3].repeat(1, 2, 1)[:2, :3], [t["x"][0], t["y"][0, :, :3], t["v"][:3], t["v"][1:], t["y"][1], t["x"][1, :, :3], t["v"][:3], t["v"][1:]], True, 1, 0.0, False, True, False),
               A.rnn_relu_cell.default(t["x"][0], t["y"][0, :, :2], t["x"][1, :2], t["y"][1, :2, :2], t["v"][:2], t["v"][2:]), A.gru_cell.default(t["x"][0], t["y"][0, :, :2], t["image"][0, :, :6].reshape(6, -1)[:, :4], t["image"][1, :, :6].reshape(6, -1)[:, :2]),
               *A.lstm_cell.default(t["x"][0], [t["y"][0, :, :2], t["y"][1, :, :2]], t["image"][0].reshape(8, -1)[:, :4], t["image"][1].reshape(8, -1)[:, :2], t["image"][0].reshape(-1)[:8], t["image"][1].reshape(-1)[:8])],
    lambda t: [A.__lshift__.Scalar(t["j"], 3), A.__rshift__.Scalar(t["i"], 2), A.bitwise_right_shift.Tensor(t["i"] * 9, t["j"]), A.__and__.Scalar(t["i"], 6), A.mul.Tensor(t["c"], t["x"] > 0), A.deg2rad.default(t["x"]), A.rad2deg.default(t["x"]),
               A.erfc.default(t["x"]), A.log10.default(t["p"]), A.special_logit.default(t["x"].sigmoid()), A.logit.default(t["x"], 0.1), A.xlogy.Tensor(t["x"] * t["c"], t["p"] * (t["x"] > 0)), A.rrelu.default(t["x"], 0.1, 0.5)],
    lambda t: [A.trunc.default(t["x"] * 3), A.frac.default(t["x"] * 3), A.round.decimals(t["x"], decimals=1), A.heaviside.default(t["x"] * t["c"], t["v"]), A.copysign.Tensor(t["x"], t["y"]), A.copysign.Tensor(t["x"], t["y"] * -0.0), A.sinc.default(t["x"] * t["c"]),
               A.nan_to_num.default(t["x"] / t["c"] - t["x"] / t["c"] + t["x"], 1.5, 2.5, 3.5), A.nan_to_num.default(t["x"] / t["c"], 1.5, 2.5, -3.5), *A.std_mean.correction(t["x"], [1], correction=0), *A.aminmax.default(t["x"], dim=1, keepdim=True), *A.aminmax.default(t["x"]),
               A._native_batch_norm_legit.no_stats(t["image"], t["v"], t["v"] + 1, True, 0.1, 0.02)[0], A._native_batch_norm_legit.no_stats(t["image"], None, None, True, 0.1, 0.02)[0]],
]


NAMED = [
    lambda t: [A.absolute.default(t["x"]), A.negative.default(t["x"]), A.divide.Tensor(t["x"], t["p"]), A.multiply.Scalar(t["x"], 1.5), A.subtract.Tensor(t["x"], t["v"], alpha=2), A.clip.default(t["x"], -0.3, 0.4), A.arcsin.default(t["x"].clamp(-0.9, 0.9)),
               A.greater.Scalar(t["x"], 0.1), A.less_equal.Tensor(t["x"], t["y"]), A.not_equal.Scalar(t["i"], 2), A.float_power.Tensor_Scalar(t["p"], 1.5).float(), A.positive.default(t["x"]),
               A.lt.Scalar(t["c"], 0.5), A.ge.Scalar(t["c"], 0.5), A.le.Tensor(t["c"], t["x"] > 0)],
    lambda t: [A.isfinite.default(t["x"] / t["c"]), A.isfinite.default(t["i"]), A.isposinf.default(t["x"] / t["c"]), A.isneginf.default(t["x"] / t["c"]), A.signbit.default(t["x"] * 0), A.signbit.default(t["i"]),
               A.fmax.default(t["x"] / t["c"] - t["x"] / t["c"], t["y"]), A.fmin.default(t["y"], t["x"] / t["c"] - t["x"] / t["c"]), A.lerp.Tensor(t["x"], t["y"], t["p"])],
    lambda t: [A.reshape_as.default(t["x"], t["x"].permute(2, 0, 1)), A.view_as.default(t["x"], t["x"].flatten()), A.ravel.default(t["x"]), A.atleast_1d.default(t["v"][0]), A.atleast_2d.default(t["v"]), A.atleast_3d.default(t["v"]), A.atleast_3d.default(t["x"][0]),
               A.broadcast_to.default(t["v"], [3, 4]), *A.broadcast_tensors.default([t["v"], t["x"][0]]), A.moveaxis.int(t["x"], 0, 2), A.fliplr.default(t["x"]), A.flipud.default(t["x"])],
    lambda t: [A.hstack.default([t["x"], t["y"]]), A.hstack.default([t["v"], t["v"]]), A.vstack.default([t["v"], t["x"][0]]), A.dstack.default([t["x"][0], t["y"][0]]), A.column_stack.default([t["v"], t["x"][0].t()]),
               *A.tensor_split.sections(t["x"], 3, 2), *A.tensor_split.indices(t["x"], [1, 3], 2), *A.hsplit.int(t["x"], 3), *A.vsplit.int(t["x"], 2), *A.dsplit.int(t["x"], 2)],
    lambda t: [A.diff.default(t["x"]), A.diff.default(t["x"], 1, 1, t["y"][:, :1], t["y"][:, 1:]), A.diff.default(t["c"], 1, 0), A.count_nonzero.dim_IntList(t["i"], [1, 2]), A.count_nonzero.default(t["x"]), A.nansum.default(t["x"] / t["c"] * t["c"], [1]),
               A.trace.default(t["x"][0]), A.diag.default(t["v"]), A.diag.default(t["x"][0]), A.eye.default(3), A.eye.m(2, 4), A.linspace.default(-1, 2, 7), A.linspace.default(3, 1, 1), A.hann_window.default(5), A.hann_window.periodic(6, False)],
    lambda t: [A.linalg_norm.default(t["x"]), A.linalg_norm.default(t["x"], 3.0, [1]), A.norm.Scalar(t["x"], 1), A.dist.default(t["x"], t["y"], 3.0), A.cdist.default(t["x"], t["y"]), A.cdist.default(t["x"], t["y"], 1.0), A._weight_norm.default(t["x"], t["p"][:, :1, :1], 0),
               A.var_mean.dim(t["x"], [1], False)[0], A.var_mean.default(t["x"])[1], A.median.default(t["x"]), A.msort.default(t["x"]), A.cummin.default(t["x"], 1)[0], A.item.default(t["v"][1]) * t["x"]],
    lambda t: [A.addr.default(t["x"][0], t["v"][:3], t["v"], beta=0.5, alpha=2.0), A.linalg_vecdot.default(t["x"], t["y"]), A.linalg_cross.default(t["x"], t["y"], dim=1), A.inner.default(t["x"], t["y"][0]), A.tensordot.default(t["x"], t["y"], [0, 2], [0, 2]),
               A.index_fill.int_Scalar(t["x"], 2, torch.tensor([3, 0]), 1.5), A.slice_scatter.default(t["x"], t["y"][:, :, :2], 2, 1, 4, 2), A.diagonal_scatter.default(t["x"][0], t["v"][:3], 1), A.fill_diagonal_.default(t["x"][0].clone(), 2.5),
               A.reflection_pad3d.default(t["volume"], [1, 2, 1, 0, 2, 1]), A.replication_pad3d.default(t["volume"], [1, 2, 1, 0, 2, 1]), A.upsample_trilinear3d.default(t["volume"], [7, 3, 9], False), A.upsample_linear1d.default(t["signal"], [14], True)],
    lambda t: [A.fake_quantize_per_tensor_affine.default(t["x"], 0.05, 3, -128, 127), A.fake_quantize_per_tensor_affine.default(t["x"], 0.3, 2, 0, 15), A.fake_quantize_per_tensor_affine.tensor_qparams(t["x"], torch.tensor([0.05]), torch.tensor([3], dtype=torch.int32), 0, 255),
               A.fake_quantize_per_channel_affine.default(t["x"], t["p"][0, :, 0] * 0.02, t["j"][0, :, 0].int(), 1, -127, 127)],
]


LOSSES = [
    lambda t: [f(t["x"], t["y"], how) for f in (A.mse_loss.default, A.l1_loss.default, A.soft_margin_loss.default) for how in (0, 1, 2)]
    + [A.smooth_l1_loss.default(t["x"], t["y"], 0, 0.7), A.smooth_l1_loss.default(t["x"], t["y"], 1, 0.0), A.smooth_l1_loss.default(t["x"], t["y"]), A.huber_loss.default(t["x"], t["y"], 0, 0.7), A.huber_loss.default(t["x"], t["y"])],
    lambda t: [A.binary_cross_entropy.default(t["x"].sigmoid(), t["y"].sigmoid()), A.binary_cross_entropy.default(t["c"].float(), t["c"].float() * 0.5, t["v"].abs(), 0), A.binary_cross_entropy_with_logits.default(t["x"] * 40, t["y"].sigmoid(), None, None, 0),
               A.binary_cross_entropy_with_logits.default(t["x"], t["y"].sigmoid(), t["v"], t["p"][0]), A.kl_div.default(t["x"], t["p"] * t["c"], 0), A.kl_div.default(t["x"], t["p"], 2, log_target=True)],
    lambda t: [A.nll_loss_nd.default(t["x"], t["j"][:, 0] % 3), A.nll_loss_nd.default(t["x"][0], t["j"][0, :, 0] % 4, t["v"], 0, 2), A.nll_loss_nd.default(t["v"], t["j"][0, 0, 0] % 4), A.cross_entropy_loss.default(t["x"][0], t["j"][0, :, 0] % 4, t["v"].abs()),
               A.cross_entropy_loss.default(t["x"][0], torch.tensor([1, -100, 3]), None, 2), A.cross_entropy_loss.default(t["image"], t["j"].flatten()[:1].expand(2, 7, 6) % 4, None, 1, 9), A.cross_entropy_loss.default(t["v"], t["j"][0, 0, 0] % 4),
               A.cross_entropy_loss.default(t["x"][0], torch.tensor([1, -100, 3]), None, 1, -100, 0.2), A.cross_entropy_loss.default(t["x"][0], t["j"][0, :, 0] % 4, t["v"].abs(), 1, 2, 0.3),
               A.cross_entropy_loss.default(t["image"], t["j"].flatten()[:1].expand(2, 7, 6) % 4, t["v"].abs(), 0, 9, 0.1), A.cross_entropy_loss.default(t["x"][0], torch.tensor([1, -100, 3]), t["v"].abs(), 2, -100, 0.2),
               A.cross_entropy_loss.default(t["x"], t["p"].softmax(1), None, 1), A.cross_entropy_loss.default(t["x"], t["p"].softmax(1), t["v"].abs()[:3], 0, -100, 0.2), A.cross_entropy_loss.default(t["v"], t["p"][0, 0].softmax(0), None, 0, -100, 0.1),
               A.cross_entropy_loss.default(t["v"], t["j"][0, 0, 0] % 4, None, 0, -100, 0.1)],
    lambda t: [A.isclose.default(t["x"], t["y"], 0.1, 0.1), A.isclose.default(t["i"], t["j"], 0.2, 1.0), A.isclose.default(t["x"] / t["c"], t["x"] / t["c"]), A.isclose.default(t["c"] / (t["x"] * 0), t["c"] / (t["x"] * 0), equal_nan=True),
               A.isin.Tensor_Tensor(t["i"], t["j"][0]), A.isin.Tensor_Tensor(t["i"], t["j"][0], invert=True), A.isin.Tensor_Scalar(t["j"], 3), A.nanmean.default(t["x"] / t["c"] * t["c"]), A.nanmean.default(t["x"] * t["c"] / t["c"], [1], True)],
    lambda t: [A.take_along_dim.default(t["x"], t["j"][:, :2, :1] % 3, 1), A.take_along_dim.default(t["x"][:, :, :1], t["j"] % 3, 1), A.take_along_dim.default(t["x"], t["j"] * 3), A.kron.default(t["x"][0], t["y"][1]), A.kron.default(t["v"], t["v"][:2]),
               A.addbmm.default(t["x"][0], t["x"], t["y"][:, :, :, None].expand(2, 3, 4, 4)[:, 0], beta=0.5, alpha=2.0), A.logaddexp2.default(t["x"], t["y"]), A.logaddexp2.default(t["v"] - float("inf"), t["v"] - float("inf")).isinf()],
    lambda t: [A.quantile.default(t["x"], t["p"][0, 0] * 0.3, 1), A.quantile.default(t["x"], t["p"][0, 0] * 0.3), A.quantile.default(t["x"], t["p"][0, 0] * 0.3, 1, True), A.quantile.default(t["x"], t["p"][0, 0] * 0.3, None, True), A.quantile.scalar(t["x"], 0.4, 2), A.quantile.scalar(t["x"], 1.0, 0, True),
               A.quantile.scalar(t["x"] / t["c"] * t["c"], 0.3, 1).isnan()],
    lambda t: [A.blackman_window.default(7), A.blackman_window.periodic(6, False), A.hamming_window.default(7), A.hamming_window.periodic(1, False), A.hamming_window.periodic_alpha(5, True, 0.6), A.hamming_window.periodic_alpha_beta(5, False, 0.6, 0.3),
               A.bartlett_window.default(7), A.bartlett_window.periodic(6, False), A.bartlett_window.default(1), A.hann_window.default(1),
               A.softplus.default(t["x"] * 3, 2.0, 1.0), A.instance_norm.default(t["image"], t["v"], t["v"] + 1, t["v"] * 0.5, t["p"][0, 0], False, 0.1, 0.02, False), A.instance_norm.default(t["image"], None, None, t["v"] * 0.5, t["p"][0, 0], False, 0.1, 0.02, False)],
]


# z, w: complex numbers of x, y and p; none is 0.
z = lambda t: torch.complex(t["x"], t["y"])
w = lambda t: torch.complex(t["p"], t["x"])

COMPLEX = [
    lambda t: [A.view_as_real.default(z(t)), A.view_as_complex.default(t["x"].reshape(2, 3, 2, 2)), A.real.default(z(t)) + 1, A.imag.default(z(t)) * 2, A.polar.default(t["p"], t["y"]), A.conj_physical.default(z(t)),
               A._conj.default(z(t)), A.conj.default(w(t)) * z(t), A.mH.default(z(t)), A.adjoint.default(w(t)), A.resolve_conj.default(A.conj.default(z(t))), A.abs.default(z(t)), A.angle.default(z(t)), A.sgn.default(z(t)),
               A.to.dtype(z(t), torch.complex128).to(torch.complex64), A.to.dtype(t["x"], torch.complex64), A.isnan.default(z(t)), A.isfinite.default(z(t) / t["x"].round())],
    lambda t: [A.add.Tensor(z(t), w(t), alpha=2), A.add.Tensor(z(t), t["v"]), A.add.Tensor(t["v"], z(t), alpha=0.5), A.add.Tensor(z(t), 1.5 - 2j), A.add.Scalar(t["x"] + 0j, 2), A.sub.Tensor(z(t), w(t), alpha=3), A.sub.Tensor(t["v"], z(t)),
               A.sub.Tensor(z(t), 1j), A.rsub.Scalar(z(t), 2 + 1j, 0.5), A.mul.Tensor(z(t), w(t)), A.mul.Tensor(z(t), t["v"]), A.mul.Tensor(t["j"], z(t)), A.mul.Tensor(z(t), 0.5 - 1j), A.mul.Tensor(t["x"], 2j), A.mul.Scalar(z(t), 3),
               A.neg.default(z(t)), A.square.default(z(t)), A.eq.Tensor(z(t), z(t).real.round() + 0j)],
    lambda t: [A.div.Tensor(z(t), w(t)), A.div.Tensor(z(t), t["p"]), A.div.Tensor(t["p"], z(t)), A.div.Tensor(z(t), 2 - 3j), A.div.Scalar(z(t) * 1e25, 1e-5), A.div.Tensor(z(t) * 1e25, w(t) * 1e24), A.reciprocal.default(z(t)), A.exp.default(z(t)),
               A.log.default(z(t)), A.pow.Tensor_Scalar(z(t), 2), A.pow.Tensor_Scalar(z(t), 1.5), A.pow.Tensor_Scalar(w(t), -2), A.lerp.Scalar(z(t), w(t), 0.3), A.where.self(t["c"], z(t), w(t)), A.where.ScalarOther(t["c"], z(t), 0), A.where.self(t["c"], z(t), t["p"]),
               A.masked_fill.Scalar(z(t), t["c"], 2.5), A.full.default([2, 3], 1 - 2j), A.zeros.default([3], dtype=torch.complex64), A.ones.default([3], dtype=torch.complex64) * 2, A.full_like.default(z(t), 2j), A.fill.Scalar(z(t), 1 + 1j), A.copy.default(z(t), t["v"]),
               A.zeros_like.default(z(t)), A.ones_like.default(z(t))],
    lambda t: [f(v) for v in (z(t), w(t) * 2) for f in (A.sin.default, A.cos.default, A.sinh.default, A.cosh.default, A.tanh.default, A.sqrt.default)]
    + [A.sqrt.default(t["x"].round() + 0j), A.tanh.default(z(t) * 30)],
    lambda t: [A.mm.default(z(t)[0], w(t)[1].t()), A.bmm.default(z(t), w(t).transpose(1, 2)), A.matmul.default(z(t), w(t)[0, 0]), A.matmul.default(t["x"] + 0j, w(t).mH), A.einsum.default("bij,bkj->bik", [z(t), w(t)]), A.outer.default(z(t)[0, 0], w(t)[0, 1]),
               A.linear.default(z(t), w(t)[0], z(t)[0, 0, :3]), A.linear.default(z(t), w(t)[0]), A.sum.default(z(t)), A.sum.dim_IntList(z(t), [0, 2]), A.mean.dim(z(t), [1], True), A.cumsum.default(z(t), 1), A.kron.default(z(t)[0], w(t)[1])],
    lambda t: [A.cat.default([z(t), w(t)], 1), A.stack.default([z(t), w(t)], -1), A.view.default(z(t), [6, 4]), A.permute.default(z(t), [2, 0, 1]), A.slice.Tensor(z(t), 2, 1, 3), A.select.int(z(t), 1, 2), A.flip.default(z(t), [2]), A.roll.default(z(t), [1], [2]), A.repeat.default(z(t), [2, 1, 1]),
               A.index_select.default(z(t), 1, torch.tensor([2, 0])), A.gather.default(z(t), 1, t["j"][:, :2] % 3), A.index.Tensor(z(t), [None, torch.tensor([2, 0])]), A.tril.default(z(t)), A.expand.default(z(t)[:, :1], [-1, 3, -1]), A.unsqueeze.default(z(t), 1), *A.split.Tensor(z(t), 3, 2),
               A.constant_pad_nd.default(z(t), [1, 2, 0, 1], 0.5), A.pad.default(z(t), [-1, 1]), A.diff.default(z(t)), A.select_scatter.default(z(t), w(t)[:, 0], 1, 2), A.clone.default(z(t)), A.repeat_interleave.self_int(z(t), 2, 1)],
    lambda t: [A.fft_fft.default(t["signal"]), A.fft_fft.default(z(t), 6, 1, "ortho"), A.fft_fft.default(z(t), 3, -1, "forward"), A.fft_ifft.default(z(t)), A.fft_ifft.default(t["x"], 5, 1, "ortho"), A.fft_ifft.default(z(t), norm="forward"), A.fft_rfft.default(t["signal"]), A.fft_rfft.default(t["x"], 6, 1, "ortho"),
               A.fft_rfft.default(t["signal"], norm="forward"), A.fft_irfft.default(z(t)), A.fft_irfft.default(z(t), 7), A.fft_irfft.default(z(t), 4, 1, "ortho"), A.fft_irfft.default(t["x"], 9, norm="forward"), A.fft_hfft.default(z(t)), A.fft_hfft.default(z(t), 5, 1, "ortho"), A.fft_ihfft.default(t["signal"]),
               A.fft_ihfft.default(t["signal"], 6, -1, "forward")],
    lambda t: [A.fft_fft2.default(t["image"]), A.fft_fft2.default(z(t), [4, 3], norm="ortho"), A.fft_ifft2.default(z(t)), A.fft_ifft2.default(z(t), [-1, 5], [0, 2], "forward"), A.fft_fftn.default(z(t)), A.fft_fftn.default(t["image"], [3, 4]), A.fft_ifftn.default(z(t), None, [0, 1]), A.fft_rfft2.default(t["image"]),
               A.fft_rfftn.default(t["volume"][0, 0]), A.fft_rfftn.default(t["x"], [2, 5], [2, 1], "ortho"), A.fft_irfft2.default(z(t)), A.fft_irfft2.default(z(t), [3, 7], [1, 2], "ortho"), A.fft_irfftn.default(z(t)), A.fft_irfftn.default(z(t), [4, -1], norm="forward"), A.fft_fftshift.default(t["image"], [2, 3]),
               A.fft_fftshift.default(z(t)), A.fft_ifftshift.default(t["image"], [2])],
    lambda t: [A.stft.default(t["signal"][0], 4, return_complex=True), A.stft.default(t["signal"][1], 6, 2, 4, t["v"], True, True, True), A.stft.default(t["signal"][1], 6, 3, None, None, False, False, True), A.stft.default(t["signal"][1, 0], 5, 2, return_complex=True),
               torch.istft(torch.stft(t["signal"][1], 6, 2, window=t["p"].reshape(-1)[:6], return_complex=True), 6, 2, window=t["p"].reshape(-1)[:6], length=8),
               torch.istft(torch.stft(t["signal"][1, 0], 4, 1, window=torch.ones(4), normalized=True, return_complex=True), 4, 1, window=torch.ones(4), normalized=True),
               torch.istft(z(t), 4, 2, window=t["p"][0, 0], length=9, center=True)],
]


HOW = ("prod", "mean", "amax", "amin")

SPECIAL = [
    lambda t: [A.index_reduce.default(t["x"], 1, torch.tensor([2, 0, 2]), t["y"], how, include_self=own) for how in HOW for own in (True, False)]
    + [A.index_reduce.default(t["i"], 2, torch.tensor([3, 3, 0, 3]), t["j"], how) for how in HOW],
    lambda t: [A.scatter_reduce.two(t["x"], 1, t["j"] % 3, t["y"], how, include_self=own) for how in ("sum",) + HOW for own in (True, False)]
    + [A.scatter_reduce.two(t["i"], 2, t["j"][:, :, :3] % 2, t["j"], how) for how in ("sum",) + HOW],
    lambda t: [f(v) for v in (t["p"], t["x"] * 5, t["p"] * 40) for f in (A.lgamma.default, A.digamma.default, lambda v: A.polygamma.default(0, v), lambda v: A.polygamma.default(1, v))] + [A.special_psi.default(t["j"])],
    lambda t: [A.erfinv.default(t["x"].tanh()), A.erfinv.default(t["x"] * 1e-3), A.special_entr.default(t["p"] * t["c"]), A.special_entr.default(-t["p"]).isinf(), A.special_ndtr.default(t["x"] * 2), A.add.Tensor(t["c"], t["x"] > 0),
               A.rrelu_with_noise_functional.default(t["x"], t["y"], 0.1, 0.4)[0], A._adaptive_avg_pool3d.default(t["volume"], [2, 4, 3])],
    lambda t: [A.cat.default([torch.zeros(0), t["x"]], 1), A.cat.default([t["x"], torch.zeros(0)], -1), A.cat.default([t["x"], torch.zeros(0), t["y"]], 1), A.cat.default([torch.zeros(0), t["v"]], 0)],
]


LISTS = [
    lambda t: [A.tril_indices.default(3, 4), A.tril_indices.default(4, 3, -1), A.tril_indices.default(3, 5, 2, dtype=torch.int32), A.tril_indices.default(2, 3, -5), A.triu_indices.default(3, 4), A.triu_indices.default(4, 3, 1),
               A.triu_indices.default(3, 3, -1), A.triu_indices.default(5, 2, 1), A.combinations.default(t["v"]), A.combinations.default(t["i"][0, 0], 2, True), A.combinations.default(t["v"][:1])],
    lambda t: [A.logspace.default(-1, 2, 7), A.logspace.default(0, 3, 4, 2.0), A.logspace.default(1.5, 2, 1), A.logspace.Tensor_Scalar(t["v"][0], 1.5, 5, 3.0), A.vander.default(t["v"]), A.vander.default(t["v"], 3), A.vander.default(t["v"], 5, True),
               A.vander.default(t["i"][0, 0], 3), A.vander.default(t["v"], 1), A.linalg_vander.default(t["x"]), A.linalg_vander.default(t["x"], N=2)],
    lambda t: [A.trapezoid.dx(t["x"]), A.trapezoid.dx(t["x"], dx=0.7, dim=1), A.trapezoid.dx(t["i"], dim=0), A.trapezoid.dx(t["x"][:, :, :1]), A.trapezoid.x(t["x"], t["v"]), A.trapezoid.x(t["x"], t["y"], dim=1), A.trapezoid.x(t["x"], t["v"][:2], dim=0),
               A.trapezoid.x(t["i"], t["j"]), A.trapz.dx(t["x"], dx=2.0), A.trapz.x(t["x"], t["v"]), A.cumulative_trapezoid.dx(t["x"], dx=0.7, dim=1), A.cumulative_trapezoid.dx(t["i"]), A.cumulative_trapezoid.x(t["x"], t["v"]), A.cumulative_trapezoid.x(t["x"], t["y"], dim=1)],
    lambda t: [A.renorm.default(t["x"], 2, 0, 1.0), A.renorm.default(t["x"], 1, 2, 2.5), A.renorm.default(t["image"], 3, -3, 2.0), A.renorm.default(t["x"], 2, 1, 1e3),
               *[A.nonzero_static.default(t["c"], size=n) for n in (1, 5, 40)], A.nonzero_static.default(t["i"] // 5, size=7, fill_value=-7), A.nonzero_static.default(t["c"] & ~t["c"], size=2), A.nonzero_static.default(t["v"], size=6, fill_value=9)],
]


def strided(x):
    y = x.clone()
    y.as_strided((2, 2), (9, 5), 1).fill_(7.0)
    return y


square = lambda t: t["x"][:, :, :3] + 3 * torch.eye(3)
picked = torch.tensor([[True, False, True], [False, True, False]])

SERIES = [
    lambda t: [A.special_i0.default(t["x"]), A.i0.default(t["x"] * 6).log(), A.special_i0.default(t["x"] * 25).log(), A.special_i1.default(t["x"] * 2), A.special_modified_bessel_i0.default(t["x"]), A.special_modified_bessel_i1.default(t["x"])]
    + [f(t["x"] * k) for k in (1, 8, 60) for f in (A.special_i0e.default, A.special_i1e.default)],
    lambda t: [A.elu.default(t["x"], 0.7, 1.3), A.elu.default(t["x"], 0.7, 1, 0.5), A.elu.default(t["x"], 0.7, 1.2, 2), A.feature_alpha_dropout.default(t["x"], 0.5, False), A.special_xlog1py.default(t["x"], t["p"]), A.special_xlog1py.self_scalar(2, t["p"]),
               A.xlogy.Scalar_Self(2.0, t["p"]), A.xlogy.Scalar_Other(t["x"], 2.0), A.special_xlogy.other_scalar(t["x"], 3), A.remainder.Scalar_Tensor(7, t["j"]), A.bitwise_and.Scalar_Tensor(6, t["i"]), A.bitwise_or.Scalar_Tensor(6, t["i"]),
               A.bitwise_xor.Scalar_Tensor(6, t["i"]), A.bitwise_left_shift.Scalar_Tensor(3, t["j"]), A.bitwise_right_shift.Scalar_Tensor(100, t["j"]), A.isin.Scalar_Tensor(3, t["j"]), A.special_log1p.default(t["p"]), A.special_expm1.default(t["x"]), A.special_logsumexp.default(t["x"], [1])],
    lambda t: [A.hinge_embedding_loss.default(t["x"], t["c"] * 2 - 1, 0.7, how) for how in (0, 1, 2)] + [A.poisson_nll_loss.default(t["x"].abs(), t["p"] * 3, log, full, 1e-8, how) for log in (True, False) for full in (True, False) for how in (0, 1, 2)]
    + [A.cosine_embedding_loss.default(t["x"][0], t["y"][0], t["c"][0, :, 0] * 2 - 1, 0.1, how) for how in (0, 1, 2)]
    + [A.nll_loss_forward.default(t["x"][0], t["j"][0, 0, :3] % 4, t["p"][0, 0], how, 1)[0] for how in (0, 1, 2)] + [A.nll_loss2d_forward.default(t["image"], t["j"][:, 0, :1, None].expand(2, 7, 6) % 4, None, 1, -100)[0]],
    lambda t: [A.linalg_det.default(square(t)), A.det.default(square(t)[0]), A.linalg_inv.default(square(t)), A.linalg_inv_ex.default(square(t))[0], A.linalg_solve.default(square(t), t["y"]), A.linalg_solve.default(square(t), t["v"][:3]), A.linalg_solve.default(square(t), t["y"][:, :, 0]),
               A.linalg_solve.default(square(t), t["y"].transpose(1, 2), left=False), *[A.linalg_matrix_power.default(square(t), n) for n in (0, 1, 3)], A.chain_matmul.default([t["x"][0], t["y"][0].t(), t["x"][1]]), A.linalg_multi_dot.default([t["x"][0], t["y"][0].t(), t["x"][1], t["y"][1].t()]),
               *[A.linalg_matrix_norm.default(t["x"], p) for p in (1, -1, float("inf"), -float("inf"))], A.linalg_matrix_norm.default(t["x"], 1, [0, 2], True), A.linalg_matrix_norm.str_ord(t["x"]), A.frobenius_norm.dim(t["x"], [0, 1], True), A.norm.ScalarOpt_dim_dtype(t["x"].half(), 2, [1], False, dtype=torch.float32)],
    lambda t: [A.diagflat.default(t["x"], -1), A.diagflat.default(t["v"]), A._int_mm.default((t["i"][0] % 5).to(torch.int8).repeat(6, 2), (t["j"][0].t()).to(torch.int8).repeat(2, 3)[:, :8]), A.fft_fftfreq.default(8, 0.5), A.fft_fftfreq.default(7), A.fft_rfftfreq.default(9, 2.0),
               *[A.pad_sequence.default([t["x"][0], t["y"][0, :2], t["p"][0, :1]], first, 2.5, side) for first in (False, True) for side in ("right", "left")], A.as_strided_scatter.default(t["x"], t["y"][0, :2, :2], [2, 2], [9, 2], 3), strided(t["x"]), *A.unsafe_split_with_sizes.default(t["x"], [1, 3], 2),
               A._upsample_nearest_exact2d.default(t["image"], [5, 11]), A.empty_strided.default([2, 3], [1, 2]) * 0, A.index_put.default(t["x"], [picked], t["y"].view(6, 4)[:3]), A.index_put.default(t["x"], [picked], t["y"].view(6, 4)[:3], True), A.index_put.default(t["x"], [picked], t["v"]),
               A.repeat_interleave.self_Tensor(t["x"], torch.tensor([1, 0, 2]), 1, output_size=3), A.repeat_interleave.Tensor(torch.tensor([1, 0, 2]), output_size=3), A.repeat_interleave.self_int(t["x"], 2, 1, output_size=6)],
]


# Numbers without axes, one axis alone, diagonals beside the main one, bounds that cross: what is easily taken for granted.
s = lambda t: t["x"][0, 0, 0]

CORNERS = [
    lambda t: [A.softmax.int(s(t), 0), A.log_softmax.int(s(t), -1), A.cumsum.default(s(t), 0), A.cumprod.default(s(t), -1), *A.max.dim(s(t), 0), *A.min.dim(s(t), 0, True), *A.kthvalue.default(s(t), 1), *A.topk.default(s(t), 1, 0), A.gather.default(s(t), 0, t["j"][0, 0, 0] * 0),
               A.index_select.default(s(t), 0, torch.tensor([0])), A.index_add.default(s(t), 0, torch.tensor([0]), t["v"][0]), A.index_fill.int_Scalar(s(t), 0, torch.tensor([0]), 2.5), A.index_copy.default(s(t), 0, torch.tensor([0]), t["v"][0]), A.angle.default(t["x"]), A.isreal.default(t["x"]),
               A.isreal.default(torch.complex(t["x"], t["x"].round())), A.conj_physical.default(t["x"]), A.matrix_H.default(t["x"][0]), A.logit.default(t["x"].sigmoid(), 0.6), A.logit.default(t["x"].sigmoid(), 0.2), A.sum.dim_IntList(s(t), [-1]), A.mean.dim(s(t), [0], True), A.logsumexp.default(s(t), [0]), A.prod.dim_int(s(t), 0), A.amax.default(s(t), [0]), A.floor.default(t["i"]), A.trunc.default(t["i"]), A.round.default(t["i"]),
               A.isnan.default(t["i"]), A.isinf.default(t["i"]), A.logsumexp.default(t["x"].masked_fill(t["c"][:, :, :1], float("-inf")), [2]).exp()]
    + [A.embedding_bag.padding_idx(t["x"][0], t["j"].flatten()[:7] % 3, torch.tensor([0, 3]), False, mode, False, None, False, padding)[0] for mode in (0, 1, 2) for padding in (-1, -2, 0, None)],
    lambda t: [A.diag.default(t["v"], 1), A.diag.default(t["v"], -2), A.diag.default(t["x"][0], 1), A.diag.default(t["x"][0], -1), A.diag_embed.default(t["x"], 1), A.diag_embed.default(t["x"], -2, 0, 2), A.diag_embed.default(t["x"], 0, 1, 0), A.diagonal_copy.default(t["x"], 1, 0, 2),
               A.diagonal_scatter.default(t["x"], t["y"][0, :, :2], 0, 0, 2), A.diagonal_scatter.default(t["x"], t["y"][:, 0, :3], 1, 1, 2), A.block_diag.default([t["x"][0], t["v"], s(t)]), A.cartesian_prod.default([t["v"], t["v"][:2], t["p"][0, 0, :3]]), A.diff.default(t["x"], 2), A.diff.default(t["x"], 3, 2),
               A.as_strided.default(t["x"], [3, 2], [2, 5], 1), A.as_strided_copy.default(t["x"], [2, 2, 3], [12, 1, 1]), A.as_strided.default(t["x"], [2, 3, 4], [4, 4, 1]), A.flipud.default(t["x"]), *A.unsafe_chunk.default(t["x"], 2, 2), *A.broadcast_tensors.default([t["x"], t["v"], s(t), t["x"][:, :1], t["v"][:1]]), A.masked_scatter.default(t["x"], t["c"], t["p"]),
               A.masked_scatter.default(t["v"], t["c"][0], t["p"])],
    lambda t: [A.baddbmm.default(t["x"][:, :, :3] / 0, t["x"], t["y"].transpose(1, 2), beta=0), A.addbmm.default(t["v"][:3], t["x"], t["y"].transpose(1, 2), beta=0, alpha=0.5), A.addmv.default(t["v"][:3] / 0, t["x"][0], t["v"], beta=0), A.addr.default(t["v"] / 0, t["v"][:2], t["v"], beta=0),
               A.inner.default(t["v"], t["x"]), A.inner.default(t["v"], t["v"]), A.linear.default(t["x"], t["v"], s(t)), A.ldexp.Tensor(t["x"], t["j"]), A.scatter.reduce(t["x"], 1, t["j"][:, :2] % 3, t["y"], reduce="multiply"), A.scatter.reduce(t["x"], 1, t["j"][:, :2] % 3, t["y"], reduce="add")],
    lambda t: [A.quantile.scalar(t["x"], 0.3, 1, interpolation=how) for how in ("linear", "lower", "higher", "midpoint", "nearest")] + [A.quantile.default(t["x"], t["p"][0, 0].sigmoid(), 2, True, interpolation="midpoint"),
               A.margin_ranking_loss.default(t["x"], t["y"], t["c"] * 2.0 - 1, 0.3), A.triplet_margin_loss.default(t["x"], t["y"], t["p"], 0.5, 2, 1e-3), A.triplet_margin_loss.default(t["x"], t["y"], t["p"], 0.5, 1, 1e-3, True, 0)],
    lambda t: [A.scaled_dot_product_attention.default(t["x"], t["y"], t["p"]), A.scaled_dot_product_attention.default(t["x"], t["y"], t["p"], t["c"][:, :, :3] | torch.eye(3, dtype=torch.bool)), A.scaled_dot_product_attention.default(t["x"][0], t["y"][0], t["p"][0], None, 0.0, True),
               A.scaled_dot_product_attention.default(t["image"][None], t["image"][None] * 0.5, t["image"][None] + 1, t["image"][0, 0, :, :1] * torch.ones(7)), A.scaled_dot_product_attention.default(t["image"][None], t["image"][None] * 0.5, t["image"][None] + 1, t["image"][:, :, :, :1] * torch.ones(7)),
               A.scaled_dot_product_attention.default(t["image"][0], t["image"][0, :2] * 0.5, t["image"][0, :2] + 1, enable_gqa=True), A._scaled_dot_product_flash_attention_for_cpu.default(t["image"], t["image"] * 0.5, t["image"] + 1, 0.0, True)[0],
               torch.fft.fft(t["v"]), torch.fft.irfft(torch.fft.rfft(t["v"]), n=5), A.var_mean.correction(t["x"], [1], correction=1)[0],
               A.batch_norm.default(t["image"], t["v"], t["v"] + 1, None, None, True, 0.0, 0.1, True), A.batch_norm.default(t["x"], None, None, None, None, True, 0.0, 0.01, True)],
]


# Factors of matrices and what they solve, entries by rank and by number, and grids that are chosen when the network runs.
definite = lambda t: square(t) @ square(t).transpose(1, 2)
holes = lambda t: torch.where(t["c"], t["x"], float("nan"))
Q = torch.ops.quantized_decomposed


def turned(x):
    y = x.clone()
    y.transpose_(0, 1)
    return y * 2


def quantized(x):
    scale, zero = Q.choose_qparams.tensor(x, -128, 127, 1e-5, torch.int8)
    codes = Q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
    rows, zeros = Q.choose_qparams_per_token_asymmetric(x, torch.int8)
    row_codes = Q.quantize_per_token(x, rows, zeros, -128, 127, torch.int8)
    return [scale, zero, codes, Q.dequantize_per_tensor.tensor(codes, scale, zero, -128, 127, torch.int8), rows, zeros, row_codes,
            Q.dequantize_per_token(row_codes, rows, zeros, -128, 127, torch.int8, torch.float32), *Q.choose_qparams_per_token(x, torch.int8),
            *Q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-5, torch.int8), Q.choose_qparams_symmetric.tensor(x, 0, 255, 1e-5, torch.uint8)[1]]


def grouped(x, scales):
    codes = Q.quantize_per_channel_group(x, scales, torch.tensor([[0, 1], [-2, 0], [3, 0]], dtype=torch.int32), -8, 7, torch.int8, 2)
    return [codes, Q.dequantize_per_channel_group(codes, scales, None, -8, 7, torch.int8, 2, torch.float32),
            Q.dequantize_per_channel_group(codes, scales, torch.tensor([[0, 1], [-2, 0], [3, 0]], dtype=torch.int32), -8, 7, torch.int8, 2, torch.float32)]


FACTORS = [
    lambda t: [*A.linalg_slogdet.default(square(t)), *A.slogdet.default(square(t)[0].flip(0)), *A._linalg_slogdet.default(square(t) * 1e9)[:2], A.logdet.default(definite(t)), A.logdet.default(square(t)[0] * 1e15)],
    lambda t: [A.linalg_cholesky.default(definite(t)), A.linalg_cholesky.default(definite(t), upper=True), A.linalg_cholesky_ex.default(definite(t))[0], A.cholesky_solve.default(t["y"], square(t).tril()), A.cholesky_solve.default(t["y"], square(t)[0].triu(), True)],
    lambda t: [A.linalg_solve_triangular.default(square(t), t["y"], upper=True), A.linalg_solve_triangular.default(square(t), t["y"], upper=False, unitriangular=True), A.linalg_solve_triangular.default(square(t)[0], t["y"], upper=False),
               *[A.linalg_solve_triangular.default(square(t), t["y"].transpose(1, 2), upper=up, left=False) for up in (True, False)], *[A.triangular_solve.default(t["y"], square(t), up, over, one)[0] for up in (True, False) for over in (True, False) for one in (True, False)]],
]

RANKS = [
    lambda t: [A.nanmedian.default(holes(t)), *A.nanmedian.dim(holes(t), 1), *A.nanmedian.dim(holes(t)[0], 1, True), *A.nanmedian.dim(t["i"], 2), *[A.nanquantile.scalar(holes(t), 0.3, 2, interpolation=how) for how in ("linear", "lower", "higher", "midpoint", "nearest")],
               A.nanquantile.default(holes(t), t["p"][0, 0].sigmoid(), 2, True), A.nanquantile.default(holes(t), t["p"][0, 0].sigmoid())],
    lambda t: [A.mode.default(t["i"] // 4, 2)[0], A.mode.default(t["x"].round(), 1, True)[0], A.mode.default(t["c"], 0)[0], A.histc.default(t["x"], 5), A.histc.default(t["x"] * 0 + 1, 4), A.histc.default(t["x"], 6, -1, 1), *A.sort.default(t["c"][0, :, :1], 0)[:1], A.argsort.stable(t["c"], stable=True, dim=2, descending=True),
               A.msort.default(t["c"]), A.any.default(t["j"].to(torch.uint8)), A.any.dim(t["j"].to(torch.uint8) // 3, 1), A.all.dim(t["j"].to(torch.uint8) // 3, 1, True), A._pdist_forward.default(t["x"][0]), A._pdist_forward.default(t["x"][:, 0].contiguous(), 1.0),
               A.pdist.default(t["image"][0, 0], 3.0), A.put.default(t["x"], torch.tensor([[1, 5], [-1, 0]]), t["p"][0, :2, :2]), A.put.default(t["x"], torch.tensor([1, 1, 2]), t["p"][0, 0, :3], True), A.ge.Scalar(s(t), 0.25), A.ne.Scalar(s(t), 0.25), turned(t["x"]),
               *[A.kaiser_window.default(n) for n in (1, 7)], A.kaiser_window.periodic(8, False), A.kaiser_window.beta(6, True, 5.0)],
    lambda t: [*quantized(t["x"]), *quantized(t["p"])[:3], *grouped(t["x"][0] * 3, t["p"][0, :, :2])],
]


# Arguments that no other program gives.
ARGUMENTS = [
    lambda t: [A.pairwise_distance.default(t["x"], t["y"], 1.5, 0.25, True), A.pairwise_distance.default(t["x"], t["y"], 1.5, 0.25), A.cosine_similarity.default(t["x"], t["y"], 2, 2.0),
               A.cosine_similarity.default(t["x"], t["y"], 0), A.linalg_vecdot.default(t["x"], t["y"], dim=1),
               *[A.atleast_3d.default(r) for r in (t["v"][0], t["v"], t["x"][0], t["x"])], *[A.atleast_2d.default(r) for r in (t["v"][0], t["v"], t["x"])]],
    lambda t: [A.amax.default(t["x"], [1], True), A.argmax.default(t["x"], 1, True), A.all.dims(t["c"], [0, 2], True), *A.max.dim(t["x"], 1, True), *A.median.dim(t["x"], 1, True),
               A.logsumexp.default(t["x"], [1], True), A.special_logsumexp.default(t["x"], [1], True), A.nansum.default(t["x"], [1], True), A.prod.dim_int(t["x"], 1, True),
               A.nanquantile.scalar(t["x"], 0.3, 2, True), A.nanquantile.default(t["x"], t["p"][0, 0].sigmoid(), 2, True, interpolation="lower"), A.count_nonzero.default(t["i"], 1)],
    lambda t: [A.linalg_norm.default(t["x"][0], None, [0, 1], True), A.linalg_vector_norm.default(t["x"], 3.0, [1], True), A.linalg_matrix_norm.str_ord(t["x"], "fro", [0, 2], True),
               A.norm.ScalarOpt_dim(t["x"], 3.0, [1], True), A.std.correction(t["x"], [1], correction=0, keepdim=True), A.std.dim(t["x"], [1], False, True),
               A.var.dim(t["x"], [1], False, True), A.var.correction(t["x"], [1], correction=0.5, keepdim=True), *A.std_mean.correction(t["x"], [1], correction=0, keepdim=True),
               *A.var_mean.correction(t["x"], [1], correction=2, keepdim=True), *A.var_mean.dim(t["x"], [1], False, True)],
    lambda t: [*A.sort.default(t["x"], 1, True), A.argsort.default(t["x"], 1, True), A.bucketize.Tensor(t["x"], t["v"].sort()[0], out_int32=True, right=True),
               A.isin.Scalar_Tensor(2, t["j"], invert=True), A.isin.Tensor_Scalar(t["j"], 2, invert=True), *[r for r in A.meshgrid.indexing([t["v"], t["x"][0, 0]], indexing="xy")],
               A.trapz.dx(t["x"], dx=0.5, dim=1), A.trapz.x(t["x"], t["p"].cumsum(1), dim=1), A.special_logit.default(t["x"], 0.2), A.margin_ranking_loss.default(t["x"], t["y"], t["y"].sign(), 0.3, 2)],
    lambda t: [A.avg_pool1d.default(t["signal"], [3], [2], [1], True, False), A.avg_pool3d.default(t["volume"], [2, 3, 2], [2, 2, 3], [1, 1, 0], True, False, 5),
               A.max_pool1d.default(t["signal"], [3], [2], [1], [2], True), A.max_pool3d.default(t["volume"], [2, 3, 2], [2, 2, 3], [1, 1, 0], [1, 1, 2], True),
               *A.max_pool2d_with_indices.default(t["image"], [3, 2], [2, 2], [1, 0], [1, 2], True), A.constant_pad_nd.default(t["x"], [1, -1, 0, 2], 1.5)],
    lambda t: [A.conv1d.padding(t["signal"], t["signal"][:, :2, :3].repeat(2, 1, 1), None, [1], "same", [2], 2), A.conv2d.default(t["image"], t["image"][:, :2, :3, :2].repeat(2, 1, 1, 1), t["v"], [2, 1], [1, 0], [1, 2], 2),
               A.conv3d.default(t["volume"], t["volume"][:, :1, :2, :2, :3].repeat(2, 1, 1, 1, 1), None, [1, 2, 1], [1, 0, 1], [2, 1, 1], 2),
               A.conv_transpose2d.input(t["image"], t["image"][0, :, None, :3, :2].repeat(1, 2, 1, 1), None, [2, 1], [1, 0], [1, 0], 2, [1, 2])],
    lambda t: [A.bartlett_window.periodic(7, False), A.blackman_window.periodic(7, False), A.hamming_window.periodic_alpha_beta(7, False, 0.6, 0.3), A.hamming_window.periodic_alpha(7, True, 0.6),
               A.hann_window.periodic(7, False), A.kaiser_window.beta(7, False, 4.0), A.cdist.default(t["x"], t["y"], 3.0), A._weight_norm.default(t["x"], t["p"][:, :1, :1], 0),
               A.embedding.default(t["x"][0], t["j"] % 3, 1), A.fft_rfft2.default(t["x"], None, [0, 2], "ortho"), A.fft_fftn.default(t["x"], None, [0, 2], "forward")],
]


# What they are by default.
DEFAULTS = [
    lambda t: [A.elu.default(t["x"]), A.celu.default(t["x"]), A.hardtanh.default(t["x"] * 2), A.leaky_relu.default(t["x"]), A.softplus.default(t["x"] * 15), A.hardshrink.default(t["x"]),
               A.softshrink.default(t["x"]), A.logit.default(t["p"] / 9), A.glu.default(t["x"]), A.nan_to_num.default(t["x"] / (t["x"].round())), A.rrelu.default(t["x"]), A.sub.Scalar(t["x"], 3),
               A.rsub.Tensor(t["x"], t["v"]), A.subtract.Tensor(t["x"], t["v"]), A.addcmul.default(t["x"], t["y"], t["v"]), A.addcdiv.default(t["x"], t["y"], t["p"])],
    lambda t: [A.dist.default(t["x"], t["y"]), A.pdist.default(t["x"][0]), A.pairwise_distance.default(t["x"], t["y"]), A.kl_div.default(t["x"], t["p"]), A.hinge_embedding_loss.default(t["x"], t["y"].sign()),
               A.cosine_embedding_loss.default(t["x"][0], t["y"][0], torch.tensor([1.0, -1.0, 1.0])), A.margin_ranking_loss.default(t["x"], t["y"], t["y"].sign()),
               A.triplet_margin_loss.default(t["x"], t["y"], t["p"]), A.addmv.default(t["x"][0, :, 0], t["y"][0], t["v"]), A.addr.default(t["x"][0], t["y"][0, :, 0], t["v"]),
               A.baddbmm.default(t["x"][:, :, :3], t["x"], t["y"].transpose(1, 2)), A.addbmm.default(t["x"][0, :, :3], t["x"], t["y"].transpose(1, 2))],
    lambda t: [A.stack.default([t["x"], t["y"]]), *A.split.Tensor(t["x"], 1), *A.split_with_sizes.default(t["x"], [1, 1]), *A.unsafe_split_with_sizes.default(t["x"], [1, 1]), *A.unsafe_chunk.default(t["x"], 2),
               *A.tensor_split.sections(t["x"], 2), *A.tensor_split.indices(t["x"], [1]), A.slice.Tensor(t["x"]), A.diagonal.default(t["x"]), A.diagonal_copy.default(t["x"]), A.rot90.default(t["x"]),
               A.linalg_cross.default(t["x"][:, :, :3], t["y"][:, :, :3]), A.pad_sequence.default([t["x"][0], t["y"][0, :2]]), A.repeat_interleave.self_Tensor(t["v"], torch.tensor([1, 2, 0, 1]))],
    lambda t: [A.mode.default(t["i"] // 4)[0], A.histc.default(t["x"])[:9], A.argsort.default(t["x"]), A.trapz.dx(t["x"]), A.nansum.default(t["x"]), A.quantile.scalar(t["x"], 0.3), A.nanquantile.scalar(t["x"], 0.3),
               A.linalg_vector_norm.default(t["x"]), A.amin.default(t["x"]), A.amax.default(t["x"]), A.std.correction(t["x"]), A.var.correction(t["x"]), *A.std_mean.correction(t["x"]), *A.var_mean.correction(t["x"]),
               A.std.dim(t["x"], [1]), A.var.dim(t["x"], [1]), *A.var_mean.dim(t["x"], [1]), A.any.dims(t["c"]), A.all.dims(t["c"]), A.any.dim(t["c"], 1), A.all.dim(t["c"], 1), *A.min.dim(t["x"], 1), A.prod.dim_int(t["x"], 1)],
    lambda t: [A.avg_pool1d.default(t["signal"], [2]), A.avg_pool3d.default(t["volume"], [2, 2, 2]), A.max_pool1d.default(t["signal"], [2]), A.conv1d.default(t["signal"], t["signal"][:, :, :3]),
               A.conv1d.padding(t["signal"], t["signal"][:, :, :3]), A.conv2d.padding(t["image"], t["image"][:, :, :3, :2]), A.conv_transpose1d.default(t["signal"], t["signal"][0, :, None, :3]),
               A.conv_transpose2d.input(t["image"], t["image"][0, :, None, :3, :2]), A.layer_norm.default(t["x"] * 1e-3, [4]), A.group_norm.default(t["signal"] * 1e-3, 2), A.fft_rfftfreq.default(7),
               A.fft_ifftn.default(t["x"])],
]


# Arguments of several types; truth values where numbers are meant; nothing, and what is no number.
MIXED = [
    lambda t: [A.cat.default([t["i"], t["p"].half()]), A.cat.default([t["c"], t["j"], t["x"]], 1), A.stack.default([t["x"], t["j"]], -1), A.hstack.default([t["c"], t["i"]]),
               A.vstack.default([t["i"], t["x"]]), A.dstack.default([t["i"].int(), t["i"]]), A.column_stack.default([t["v"].half(), t["j"][0, 0]])],
    lambda t: [A.outer.default(t["j"][0, 0], t["v"]), A.outer.default(t["c"][0, 0], t["c"][0, 1]), A.outer.default(t["c"][0, 0], t["j"][0, 1]), A.hypot.default(t["i"], t["x"]), A.dist.default(t["i"], t["x"]),
               A.addcmul.default(t["i"], t["x"], t["j"], value=0.5), A.addcdiv.default(t["i"], t["x"], t["p"].half()), A.mse_loss.default(t["i"], t["x"]), A.l1_loss.default(t["x"], t["i"], 0), A.smooth_l1_loss.default(t["i"], t["x"], 1, 0.5)],
    lambda t: [f(t["c"], t["c"].flip(1)) for f in (A.maximum.default, A.minimum.default, A.fmax.default, A.fmin.default)] + [A.amax.default(t["c"], [1]), A.amin.default(t["c"], [1]), A.max.default(t["c"])],
    lambda t: [A.any.default(t["x"][:0]), A.any.dim(t["x"][:0], 0), A.any.dims(t["x"][:, :0], [1]), A.all.default(t["x"][:0]), A.all.dim(t["x"][:0], 0), A.sign.default(holes(t)), A.sgn.default(holes(t)),
               A.nan_to_num.default(t["i"]), A.nan_to_num.default(t["c"]), A.nan_to_num.default((t["x"] * 1e5).half(), -1), A.square.default(t["c"]), A.square.default(t["i"].int())],
]


# Divisors, slopes, neighbours of floats, losses by margins, shares of distributions; bounds and masks that are truth values.
few = lambda *n, dtype=torch.float32: torch.tensor(n, dtype=dtype)
ends = lambda: few(0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-40, 3.4e38, -1.5)
# As many of the last place of each, which a difference would not show beside it.
places = lambda y, x: torch.where(y == x, 0.0, torch.where(y > x, 1.0, -1.0)) * (2 * ((y - x).abs() / x.abs() * 2**23 < 1.001) - 1)
rises = lambda n: few(0.0, 0.5, 2.0, 2.5, 4.0, 7.0, 7.5, 9.0, 9.25)[:n]

NUMBERS = [
    lambda t: [A.gcd.default(t["i"] * 12, t["j"] * 18), A.gcd.default(t["i"], t["j"] * 0), A.gcd.default(t["i"].int() * 6, t["j"][0, 0].int()), *[A.gcd.default((t["i"].abs() * 4).to(d), (t["j"] * 6).to(d)) for d in (torch.int8, torch.uint8, torch.int16)],
               A.gcd.default(few(7540113804746346429, 4660046610375530309, 0, 9223372036854775807, dtype=torch.int64), few(4660046610375530309, 7540113804746346429, 0, -49, dtype=torch.int64)), A.gcd.default(few(1836311903, 1134903170, dtype=torch.int32), few(1134903170, 1836311903, dtype=torch.int32)),
               A.lcm.default(t["i"], t["j"]), A.lcm.default(t["i"] * 0, t["j"] - 2), A.lcm.default(t["i"].int()[:, :, :1], t["j"].int() * -4)],
    lambda t: [places(A.nextafter.default(t["x"], t["y"]), t["x"]), places(A.nextafter.default(t["x"] * 1e30, t["v"]), t["x"] * 1e30), A.nextafter.default(few(0.0, -0.0, 1e-40, -3e-45), few(1.0)) * 2.0**100 * 2.0**40, A.nextafter.default(ends(), few(0.0)), A.nextafter.default(ends(), few(float("inf"))),
               A.nextafter.default(t["x"], few(float("nan"))).isnan(), (A.nextafter.default(few(1.1754943508222875e-38, 2.350988701644575e-38, -4.7e-38, 2.0**-102), few(0.0)) * 2.0**100 * 2.0**26).frac(), places(A.nextafter.default(t["x"].double(), t["y"].double()).float(), t["x"]), *A.frexp.Tensor(t["x"] * 100), *A.frexp.Tensor(ends()[[0, 2, 4, 6, 7]]), *A.frexp.Tensor(2.0 ** t["i"])],
    lambda t: [*A.gradient.scalarint(t["x"]), *A.gradient.scalarint(t["x"], spacing=0.5, dim=-1, edge_order=2), *A.gradient.scalararray(t["x"], spacing=2, dim=[0, -1]), *A.gradient.array(t["image"], dim=[1, 2, 3], edge_order=2), *A.gradient.scalarrayint(t["x"][0], spacing=[2.0, 0.5]), *A.gradient.scalarrayint(t["x"], spacing=[0.25], dim=1),
               *A.gradient.scalarrayarray(t["image"], spacing=[0.5, 3.0], dim=[2, -1], edge_order=2), *A.gradient.tensorarrayint(t["x"], spacing=[rises(4)], dim=2), *A.gradient.tensorarrayint(t["image"][0, 0], spacing=[rises(7), rises(6)], edge_order=2), *A.gradient.tensorarray(t["image"], spacing=[rises(6), rises(7) * 2], dim=[3, 2]), *A.gradient.scalarint(t["i"], spacing=2)],
    lambda t: [A.multi_margin_loss.default(t["x"][0], few(1, 0, 3, dtype=torch.int64), p, m, w, how) for p, m, w in ((1, 1, None), (2, 0.5, None), (1, 0.3, t["p"][0, 0])) for how in (0, 1, 2)] + [A.multi_margin_loss.default(t["v"], few(2, dtype=torch.int64)[0])]
    + [A.multilabel_margin_loss.default(t["x"][0], few([0, 1, -1, 2], [3, -1, 0, 0], [-1, 0, 1, 2], dtype=torch.int64), how) for how in (0, 1, 2)] + [A.multilabel_margin_loss.default(t["v"], few(2, 0, 3, 1, dtype=torch.int64), how) for how in (1, 2)],
    lambda t: [A.special_erfcx.default(t["x"]), A.special_erfcx.default(t["x"] * 9).log1p(), A.special_erfcx.default(ends()), A.special_log_ndtr.default(t["x"] * 2), A.special_log_ndtr.default(t["p"] * -30), A.special_log_ndtr.default(ends()), A.special_ndtri.default(t["x"].sigmoid()), A.special_ndtri.default(few(0.0, 1, 0.5, -1, 2, 1e-30, 1e-6, 0.999999)),
               A.special_ndtri.default(t["p"] * 1e-4), A.special_erfcx.default(t["i"]).log1p(), A.mvlgamma.default(t["p"] + 1.5, 3), A.mvlgamma.default(t["p"], 1), A.special_multigammaln.default(t["j"] + 1, 4), A.special_spherical_bessel_j0.default(t["x"] * 4), A.special_spherical_bessel_j0.default(ends())],
    lambda t: [A.clamp.Tensor(t["i"], t["c"], ~t["c"]), A.clamp.Tensor(t["x"], t["c"]), A.clamp.Tensor(t["j"].int(), None, t["c"]), A.clip.Tensor(t["x"], t["c"], t["i"]), A.clamp_min.Tensor(t["i"], t["c"]), A.clamp_max.Tensor(t["x"], t["c"]), A.clamp.Tensor(t["c"], t["c"].flip(1)), A.clamp.Tensor(t["c"], None, t["c"].flip(1)), A.clamp_min.Tensor(t["c"], t["c"].flip(2)), A.clamp_max.Tensor(t["c"], t["c"].flip(2)),
               A.heaviside.default(ends(), few(0.5)), A.heaviside.default(t["i"] // 4, t["j"]), A.heaviside.default(t["c"], ~t["c"]), A.kron.default(t["x"], t["v"]), A.kron.default(t["v"], t["x"]), A.kron.default(t["x"][0], t["image"][0]), A.kron.default(s(t), t["v"]), A.kron.default(t["c"], t["c"][0]), A.kron.default(z(t), w(t)[0])],
    lambda t: [A.special_round.default(t["x"] * 3), A.special_round.default(t["x"], decimals=1), A.special_exp2.default(t["x"]), *A.hsplit.array(t["x"], [1, 2]), *A.hsplit.array(t["v"], [3]), *A.vsplit.array(t["x"], [-1]), *A.dsplit.array(t["x"], [1, 9]), *A.atleast_1d.Sequence([s(t), t["v"]]), *A.atleast_2d.Sequence([s(t), t["x"]]), *A.atleast_3d.Sequence([t["v"], t["x"][0]]),
               A.linalg_diagonal.default(t["x"]), A.linalg_diagonal.default(t["x"], offset=-1, dim1=2, dim2=0), A.linalg_matmul.default(t["x"], t["v"]), A.searchsorted.Scalar(t["v"].sort()[0], 0.1, right=True), A.bucketize.Scalar(0.1, t["v"].sort()[0]), A.scatter.value_reduce(t["x"], 1, t["j"][:, :2] % 3, 2.5, reduce="multiply"), A.scatter.value_reduce(t["x"], 2, t["j"] % 4, 0.5, reduce="add"),
               A.narrow.Tensor(t["x"], 2, torch.tensor(1), 2), A.narrow.Tensor(t["x"], 1, torch.tensor(-2), 2), A.linalg_norm.ord_str(t["x"][0], "fro"), A.linalg_norm.ord_str(t["x"], "fro", [0, 2], True), A.sum_to_size.default(t["x"], [3, 1]), A.sum_to_size.default(t["x"], [1, 3, 4]), A.range.step(0.5, 3, 0.5), A.range.default(1, 4), A.range.step(3, -1, -1),
               A._trilinear.default(t["x"][0], t["image"][0, :, :4, :4], t["y"][0], [1, 3], [0], [1, 2], [2, 3]), A.conv_tbc.default(t["signal"], t["image"][0, :3, :, :1].expand(3, 7, 9).transpose(1, 2), t["image"][0, 0, :, 0], 1), torch.imag(torch.conj(z(t))).neg()],
    lambda t: [f.n_scalar(t["x"], n) for f in (A.special_chebyshev_polynomial_t, A.special_chebyshev_polynomial_u, A.special_chebyshev_polynomial_v, A.special_chebyshev_polynomial_w, A.special_shifted_chebyshev_polynomial_t, A.special_shifted_chebyshev_polynomial_u, A.special_shifted_chebyshev_polynomial_v,
                                              A.special_shifted_chebyshev_polynomial_w, A.special_hermite_polynomial_h, A.special_hermite_polynomial_he, A.special_laguerre_polynomial_l, A.special_legendre_polynomial_p) for n in (0, 1, 4)],
    lambda t: [*A.histogram.bin_ct(t["x"], 5), *A.histogram.bin_ct(t["x"] * 0 + 1, 3), *A.histogram.bin_ct(t["x"], 4, range=[-1.0, 0.5]), *A.histogram.bin_ct(t["x"], 6, range=[-2.0, 2.0], weight=t["p"], density=True), *A.histogram.bins_tensor(t["x"].round(), few(-1.0, 0, 0.5, 1, 2)), *A.histogram.bins_tensor(t["x"], t["v"].sort()[0], weight=t["p"]),
               *A.histogram.bins_tensor(t["x"], few(-1.0, 0, 3), density=True)],
    lambda t: [*[A.fft_hfft2.default(z(t), None, [0, 2], norm) for norm in (None, "ortho", "forward")], A.fft_hfftn.default(z(t)), A.fft_hfftn.default(z(t), [3, 5], norm="ortho"), *[A.fft_ihfft2.default(t["x"], None, [0, 2], norm) for norm in (None, "ortho", "forward")], A.fft_ihfftn.default(t["x"]),
               A._fake_quantize_learnable_per_tensor_affine.default(t["x"], few(0.05), few(3.4), -128, 127), A._fake_quantize_learnable_per_channel_affine.default(t["x"], few(0.05, 0.3, 0.01), few(3.4, -1.5, 200.0), 1, -128, 127)],
]

# Results of which small arguments or large ones leave few digits, multiplied so that a difference shows; numbers beside integers.
DIGITS = [
    lambda t: [f(t["x"] * 1e-8) * 1e8 for f in (A.log1p.default, A.special_log1p.default, A.expm1.default, A.special_expm1.default)] + [A.log1p.default(t["p"] - 1), A.log1p.default(ends()), A.expm1.default(ends()), A.log1p.default(t["c"]), A.expm1.default(t["j"].int()),
               A.log1p.default(t["x"].double() * 1e-17).float() * 1e17, A.expm1.default(t["x"].double() * 1e-17).float() * 1e17, A.special_xlog1py.default(t["y"], t["x"] * 1e-8) * 1e8, A.special_xlog1py.self_scalar(2.5, t["x"] * 1e-8) * 1e8, A.special_xlog1py.other_scalar(t["x"], 1e-8) * 1e8,
               A.lgamma.default(t["p"] * -1e-8), A.digamma.default(t["p"] * -1e-8) * 1e-8, A.polygamma.default(1, t["p"] * -1e-8) * 1e-16, A.lgamma.default(t["x"] * 1e38), A.lgamma.default(ends()[:5])],
    lambda t: [A.softplus.default(-10 - t["p"]) * 1e5, A.softplus.default(-4 - t["p"], 3.0, 30.0) * 1e6, A.log_sigmoid.default(12 + t["p"]) * 1e6, A.mish.default(-9 - t["p"]) * 1e3, A.mish.default(t["x"] * 1e30) * 1e-30, A.logaddexp.default(t["p"] * 0, -12 - t["p"]) * 1e6, A.logaddexp2.default(t["p"] * 0, -20 - t["p"]) * 1e6,
               A.soft_margin_loss.default(t["p"] + 12, few(1.0), 0) * 1e6, A.erfc.default(t["x"]), A.special_erfc.default(4 + t["p"]) * 1e8, A.erfc.default(ends()), A.special_log_ndtr.default(5 + t["p"]) * 1e7, A.special_i0e.default(t["p"] * 1e38) * 1e19, A.special_i1e.default(t["x"] * 1e38) * 1e19, A.i0.default(t["p"] * 1e38)],
    lambda t: [A.add.Tensor(t["c"], ~t["c"], alpha=False), A.add.Tensor(t["c"], t["c"].flip(1)), *[f(t["j"].byte(), (t["j"] * 7).byte(), alpha=-3) for f in (A.add.Tensor, A.sub.Tensor, A.rsub.Tensor)],
               A.hardtanh.default(t["i"], -1.5, 1.7), A.hardtanh.default(t["j"].byte(), -1, 3), A.diff.default(t["signal"], 5), A.diff.default(t["x"], 0, -1, t["y"]), A.unfold_copy.default(t["signal"], 2, 3, 2), *A.unbind_copy.int(t["x"], 1),
               *[f((t["x"] * 3).half()) for f in (A.lgamma.default, A.exp2.default, A.special_i0e.default, A.expm1.default, A.erfc.default)]],
]

# What Circle does not have.
MATRICES = [
    lambda t: [A.cholesky_inverse.default(square(t).tril()), A.cholesky_inverse.default(square(t)[0].triu(), True), A.linalg_tensorinv.default(t["image"][0, :, :2, :2] + 5 * torch.eye(4).reshape(4, 2, 2), 1),
               A.linalg_tensorsolve.default(t["image"][1, :2, :2, :4] + 5 * torch.eye(4).reshape(2, 2, 4), t["y"][0, :2, :2])],
    lambda t: [A.index_add.default(t["j"].byte(), 1, few(2, 0, dtype=torch.int64), (t["j"] * 9)[:, :2].byte(), alpha=-1), A.addmv.default(t["i"][0, :, 0], t["i"][0], t["j"][0, 0], alpha=2.6, beta=-1.6),
               A.baddbmm.default(t["i"][:, :, :3], t["j"], t["i"].transpose(1, 2), beta=0.6, alpha=2.2)],
]


class Operators(torch.nn.Module):
    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, x, y, p, v, i, j, c, signal, image, volume):
        t = dict(x=x, y=y, p=p, v=v, i=i, j=j, c=c, signal=signal, image=image, volume=volume)
        real = lambda r: torch.view_as_real(r.resolve_conj()) if r.is_complex() else r
        return tuple(torch.cat([real(r).reshape(-1).to(torch.float32) for r in group(t)]) for group in self.groups)


PROGRAMS = {"elements": ELEMENTS, "shapes": SHAPES, "layers": LAYERS, "composed": COMPOSED, "named": NAMED, "losses": LOSSES, "complex": COMPLEX, "corners": CORNERS, "special": SPECIAL, "lists": LISTS, "series": SERIES, "factors": FACTORS, "mixed": MIXED, "ranks": RANKS, "arguments": ARGUMENTS, "defaults": DEFAULTS, "numbers": NUMBERS, "digits": DIGITS, "matrices": MATRICES}
