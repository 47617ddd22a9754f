"""AITER's attention: forward and backward of sequences, paged attention, MLA."""

import numpy as np

from harness import BF16, F32, I32, STEP, Out, draw, expect, wide
LOG2E = float(np.log2(np.e))


def attend(q, k, v, scale, mask=None):
    """O, log-sum-exp and P of (batch, heads, sequence, size)."""
    s = scale * np.einsum("bhqd,bhkd->bhqk", q, k)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    most = s.max(-1, keepdims=True)
    e = np.exp(s - most)
    total = e.sum(-1, keepdims=True)
    p = e / total
    return np.einsum("bhqk,bhkd->bhqd", p, v), (most + np.log(total))[..., 0], p


def heads_first(array):
    return wide(array).transpose(0, 2, 1, 3)


class Problem:
    """Q, K and V as (batch, sequence, heads, size); what attention makes of them."""

    def __init__(self, rng, dtype, batch, length, heads, kv_heads, size, v_size, causal):
        self.shape = (batch, length, heads, kv_heads, size, v_size)
        self.q = draw(rng, (batch, length, heads, size), dtype)
        self.k = draw(rng, (batch, length, kv_heads, size), dtype)
        self.v = draw(rng, (batch, length, kv_heads, v_size), dtype)
        self.scale = size**-0.5
        self.ratio = heads // kv_heads
        self.mask = np.tril(np.ones((length, length), bool)) if causal else None
        self.wide_q = heads_first(self.q)
        self.wide_k, self.wide_v = (np.repeat(heads_first(a), self.ratio, 1) for a in (self.k, self.v))
        self.o, self.lse, self.p = attend(self.wide_q, self.wide_k, self.wide_v, self.scale, self.mask)


def bytes_of(array):
    """The strides of batch, sequence and heads."""
    return array.strides[:3]


def forward(runner, rng, code, dtype, size, v_size, causal, tile, block, cuts):
    """An output is P, rounded, times V, and rounded. `cuts`: toward zero."""
    length, heads, kv_heads = 2 * tile + 37, 2, 1
    a = Problem(rng, dtype, 1, length, heads, kv_heads, size, v_size, causal)
    o, lse = Out((1, length, heads, v_size), dtype), Out((1, heads, length), F32)
    (q_b, q_s, q_h), (k_b, k_s, k_h), (v_b, v_s, v_h), (o_b, o_s, o_h) = map(bytes_of, (a.q, a.k, a.v, o.array))
    tiles = -(-length // tile)
    groups = -(-tiles // 2) if causal else tiles
    runner.run(code, (groups, heads, 1), block, {
        "R": o, "Q": a.q, "K": a.k, "V": a.v, "LSE": lse, "scalar": a.scale, "seq_len": length, "Seqs": q_s,
        "Ts": tile * q_s, "Hs": q_h, "Bs": q_b, "gqa": a.ratio, "k_Seqs": k_s, "k_Hs": k_h, "k_Bs": k_b,
        # The order of workgroups: 5, and 3 for heads that are no multiple of 8 under a mask.
        "msk_opt": 3 if causal else 5, "lse": 1, "kv_seq_len": length, "qk_head_dim": size, "v_head_dim": v_size,
        "q_head_num": heads, "v_Seqs": v_s, "v_Hs": v_h, "v_Bs": v_b, "r_Seqs": o_s, "r_Hs": o_h, "r_Bs": o_b,
        "lse_Hs": lse.array.strides[1]})
    step = STEP[dtype] * (2 if cuts else 1)
    bound = 2 * step * np.einsum("bhqk,bhkd->bhqd", a.p, np.abs(a.wide_v)) + step * np.abs(a.o)
    expect("O", heads_first(o.array), a.o, bound)
    expect("log-sum-exp", lse.array, a.lse, 1e-3 + 1e-4 * np.abs(a.lse))


def backward(runner, rng, code, dtype, size, v_size, causal):
    """dQ (summed in f32 by atomics), dK and dV.

    P and dS are rounded before they are multiplied, and results after.
    """
    names = runner.list(code)[1]
    isNative, isShort = "max_seq_len_dq" in names, "Hs_kv" in names  # else it takes the strides of everything
    tile = {64: 192, 128: 256 if isNative else 192, 192: 192 if isNative else 64}[size]
    length, heads, kv_heads = 2 * tile if isShort else tile + 37, 2, 2
    a = Problem(rng, dtype, 1, length, heads, kv_heads, size, v_size, causal)
    grad = draw(rng, (1, length, heads, v_size), dtype)
    wide_grad = heads_first(grad)
    delta = (wide_grad * a.o).sum(-1)
    dv = np.einsum("bhqk,bhqd->bhkd", a.p, wide_grad)
    dp = np.einsum("bhqd,bhkd->bhqk", wide_grad, a.wide_v)
    ds = a.p * (dp - delta[..., None])
    dq = a.scale * np.einsum("bhqk,bhkd->bhqd", ds, a.wide_k)
    dk = a.scale * np.einsum("bhqk,bhqd->bhkd", ds, a.wide_q)
    got_dq = Out((1, heads, length, size), F32, 0)
    got_dk, got_dv = Out(a.k.shape, dtype), Out(a.v.shape, dtype)
    strides = {name: bytes_of(array) for name, array in
               {"q": a.q, "k": a.k, "v": a.v, "do": grad, "dk": got_dk.array, "dv": got_dv.array}.items()}
    arguments = {"dQ": got_dq, "dK": got_dk, "dV": got_dv, "Q": a.q, "K": a.k, "V": a.v, "dO": grad,
                 "Lse": a.lse.astype(F32), "D": delta.astype(F32), "scalar": a.scale, "log2e": LOG2E, "ratio": a.ratio}
    if isShort:
        q_b, q_s, q_h = strides["q"]
        k_b, k_s, k_h = strides["k"]
        arguments |= {"seq_len": length, "Ts": tile * k_s, "Hs": q_h, "BAs": q_b, "Seqs": q_s, "Hs_kv": k_h, "BAs_kv": k_b,
                      "Seqs_kv": k_s, "Seqs_dkv": k_s, "head_dim": size}
    else:
        arguments |= {f"{field}_{name}": stride for name, (batch, sequence, head) in strides.items()
                      for field, stride in (("BAs", batch), ("Seqs", sequence), ("Hs", head))}
        arguments |= {"seqlen_q": length, "seqlen_k": length, "nhead_q": heads}
    if not isNative and not isShort:
        arguments |= {"head_dim": size}
    if isNative:
        arguments |= {"Ts": tile * strides["k"][1], "head_dim_q": size, "head_dim_k": v_size, "Hs_lsed": 4 * length,
                      "max_seq_len_dq": -(-length // 16) * 16}
    tiles = -(-length // tile)
    runner.run(code, (-(-tiles // 2) if causal else tiles, heads, 1), 256, arguments)
    step = STEP[dtype]
    bound = lambda ds_of, other, out: 2 * step * a.scale * ds_of(np.abs(other)) + step * np.abs(out) + 1e-5
    # dS is a difference: its error is that of its terms.
    terms = a.p * (np.abs(dp) + np.abs(delta)[..., None] + 2 * np.einsum("bhqd,bhkd->bhqk", np.abs(wide_grad), np.abs(a.wide_v)) / 16)
    expect("dV", heads_first(got_dv.array), dv,
           2 * step * np.einsum("bhqk,bhqd->bhkd", a.p, np.abs(wide_grad)) + step * np.abs(dv) + 1e-5)
    expect("dK", heads_first(got_dk.array), dk, bound(lambda q: np.einsum("bhqk,bhqd->bhkd", terms, q), a.wide_q, dk))
    expect("dQ", got_dq.array, dq, bound(lambda k: np.einsum("bhqk,bhkd->bhqd", terms, k), a.wide_k, dq))


def paged(runner, rng, code, dtype, group):
    """Decoding with the keys and values of a sequence in blocks of 16 tokens, at places that a table gives."""
    page, size, kv_heads, per = 16, 128, 2, 8  # eight are 16 bytes
    lengths = np.array([1, 77, 300], I32)
    batch, heads = len(lengths), group * kv_heads
    pages = -(-lengths // page)
    most = int(pages.max())
    table = np.zeros((batch, most), I32)
    order = rng.permutation(int(pages.sum()) + 3).astype(I32)
    used = 0
    for sequence, count in enumerate(pages):
        table[sequence, :count] = order[used:used + count]
        used += count
    q = draw(rng, (batch, heads, size), dtype)
    k = draw(rng, (len(order), kv_heads, size // per, page, per), dtype)
    v = draw(rng, (len(order), kv_heads, page // per, size, per), dtype)
    o = Out((batch, heads, size), dtype)
    scale = size**-0.5
    runner.run(code, (kv_heads, batch, 1), 256, {
        "O": o, "Q": q, "K": k, "V": v, "BT": table, "CL": lengths, "sclg": LOG2E * scale, "mblk": most,
        160: kv_heads, "Qs": q.strides[0], "Bs": k.strides[0], "KVs": k.strides[1], "GQA": group})
    for sequence, length in enumerate(lengths):
        blocks = table[sequence, :pages[sequence]]
        keys = wide(k[blocks]).transpose(1, 0, 3, 2, 4).reshape(kv_heads, -1, size)[:, :length]
        values = wide(v[blocks]).transpose(1, 0, 2, 4, 3).reshape(kv_heads, -1, size)[:, :length]
        rows = wide(q[sequence]).reshape(kv_heads, group, size)
        want, _, p = attend(rows[None], keys[None], values[None], scale)
        bound = 2 * STEP[dtype] * np.einsum("bhqk,bhkd->bhqd", p, np.abs(values[None])) + STEP[dtype] * np.abs(want)
        expect(f"O of sequence {sequence}", wide(o.array[sequence]).reshape(1, kv_heads, group, size), want, bound)


def mla(runner, rng, code, heads, splits):
    """Decoding with a latent of 512 numbers and 64 of position a token, which all heads share; keys are both, values the
    latent. A sequence is cut into `splits`, whose results are joined here."""
    size, v_size = 576, 512
    lengths = np.array([5, 130], I32)
    batch = len(lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(I32)
    places = rng.permutation(int(starts[-1]) + 7).astype(I32)
    kv = draw(rng, (len(places), 1, 1, size), BF16)
    q = draw(rng, (batch, heads, size), BF16)
    scale = size**-0.5
    parts, lse = Out((batch, splits, heads, v_size), F32, 0), Out((batch, splits, heads, 1), F32, -np.inf)
    slots = [parts, lse, q, kv, starts, places[:starts[-1]], np.ones(batch, I32), scale, heads, splits, q.strides[0], kv.strides[0],
             0]
    runner.run(code, (1, batch, splits), 256, {16 * slot: value for slot, value in enumerate(slots)})
    for sequence in range(batch):
        tokens = wide(kv[places[starts[sequence]:starts[sequence + 1]], 0, 0])
        want, want_lse, p = attend(wide(q[sequence])[None, :, None], tokens[None, None], tokens[None, None, :, :v_size], scale)
        got, weights = wide(parts.array[sequence]), np.exp(wide(lse.array[sequence, ..., 0]) - want_lse[0, :, 0])
        bound = 2 * STEP[BF16] * np.einsum("bhqk,bckd->bhqd", p, np.abs(tokens[None, None, :, :v_size]))[0, :, 0] + 1e-6
        expect(f"sum of the parts of sequence {sequence}", weights.sum(0), 1, 2e-3)
        expect(f"O of sequence {sequence}", (weights[..., None] * got).sum(0), want[0, :, 0], bound + 2e-3 * np.abs(want[0, :, 0]))
