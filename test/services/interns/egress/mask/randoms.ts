/** Returns a generator of numbers that repeats itself with its seed, so that a failure can be looked at. */
export function randomsOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
