"use strict";

// Random numbers, the same as the program's: SplitMix64 (Steele, Lea and Flood, 2014). A 64-bit integer is a pair of
// 32-bit integers, the high one first.

const golden = [0x9e3779b9 | 0, 0x7f4a7c15 | 0];

/** The low 64 bits of a product. */
function multiplied([aHigh, aLow], [bHigh, bLow]) {
  const a0 = aLow & 0xffff, a1 = aLow >>> 16, b0 = bLow & 0xffff, b1 = bLow >>> 16;
  const lowest = a0 * b0;
  const middle = a0 * b1 + a1 * b0 + Math.floor(lowest / 65536);
  const low = ((middle % 65536) << 16) | (lowest & 0xffff);
  const carried = a1 * b1 + Math.floor(middle / 65536);
  return [(carried + Math.imul(aHigh, bLow) + Math.imul(aLow, bHigh)) | 0, low];
}

function added([aHigh, aLow], [bHigh, bLow]) {
  const low = (aLow >>> 0) + (bLow >>> 0);
  return [(aHigh + bHigh + (low > 0xffffffff ? 1 : 0)) | 0, low | 0];
}

/** The exclusive or of an integer and the same integer shifted to the right by fewer than 32 bits. */
function folded([high, low], shift) {
  return [high ^ (high >>> shift), low ^ ((low >>> shift) | (high << (32 - shift)))];
}

const firstFactor = [0xbf58476d | 0, 0x1ce4e5b9 | 0], secondFactor = [0x94d049bb | 0, 0x133111eb | 0];

function mixed(value) {
  return folded(multiplied(folded(multiplied(folded(value, 30), firstFactor), 27), secondFactor), 31);
}

/** The separate key of a child of a key. */
function childKey(key, index) {
  return mixed(added(key, multiplied([0, index + 1], golden)));
}

/** The separate key for a time in seconds, which is the index by its bits. */
function timeKey(key, time) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, time);
  return mixed(added(key, multiplied(added([bits.getInt32(0), bits.getInt32(4)], [0, 1]), golden)));
}

/** The seed of an effect, from the run's seed (a decimal text) and the effect's number. */
function effectSeed(seed, id) {
  const bits = BigInt.asUintN(64, BigInt(seed));
  const run = [Number(bits >> 32n) | 0, Number(bits & 0xffffffffn) | 0];
  return added(multiplied(run, golden), [0, id]);
}

/** The random numbers of one particle: they follow from its key alone. */
class EffectRandom {
  constructor(key) { this.state = key; }

  /** The next number, from 0 to below 1. */
  next() {
    this.state = added(this.state, golden);
    const [high, low] = mixed(this.state);
    return ((high >>> 0) * 2097152 + (low >>> 11)) / 9007199254740992;
  }
}
