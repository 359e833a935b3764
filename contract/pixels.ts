/** Checks the form and the limits of `WIDTHxHEIGHT` in requests. */

const MIN_SIDE_PIXELS = 16;
const MAX_SIDE_PIXELS = 16_384;

/** The message for a broken rule of `hasAllowedSides`. */
export const SIDES_RULE = `must have sides of ${MIN_SIDE_PIXELS} to ${MAX_SIDE_PIXELS} pixels, without leading zeros`;

/** Matches every text in the form of pixels. `hasAllowedSides` checks their limits. */
export const PIXELS_PATTERN = /^\d+x\d+$/;

export function hasAllowedSides(pixels: string): boolean {
  return pixels.split('x').every((digits) => {
    const side = Number(digits);
    return !digits.startsWith('0') && side >= MIN_SIDE_PIXELS && side <= MAX_SIDE_PIXELS;
  });
}
