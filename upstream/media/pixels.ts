/** A picture with four bytes per pixel (red, green, blue, alpha), rows from the top. */
export interface Pixels {
  width: number;
  height: number;
  data: Uint8Array;
}

export function createPixels(width: number, height: number): Pixels {
  return { width, height, data: new Uint8Array(width * height * 4) };
}

/** Copies the window of `source` whose top left corner is (x, y). The window must lie inside the source. */
export function copyWindow(source: Pixels, x: number, y: number, target: Pixels): void {
  for (let row = 0; row < target.height; row += 1) {
    const from = ((y + row) * source.width + x) * 4;
    target.data.set(source.data.subarray(from, from + target.width * 4), row * target.width * 4);
  }
}

/** Draws `source` into a target of the same size, enlarged about its center (`scale` ≥ 1), bilinear. */
export function zoomInto(source: Pixels, scale: number, target: Pixels): void {
  if (scale === 1) {
    target.data.set(source.data);
    return;
  }
  const { width, height, data } = source;
  const step = 1 / scale;
  const left = ((width - 1) * (1 - step)) / 2;
  const top = ((height - 1) * (1 - step)) / 2;
  const columns = new Int32Array(width);
  const weights = new Int32Array(width);
  for (let x = 0; x < width; x += 1) {
    const position = left + x * step;
    columns[x] = Math.min(width - 2, Math.floor(position));
    weights[x] = Math.round((position - (columns[x] ?? 0)) * 256);
  }
  for (let y = 0; y < height; y += 1) {
    const position = top + y * step;
    const row = Math.min(height - 2, Math.floor(position));
    const down = Math.round((position - row) * 256);
    for (let x = 0; x < width; x += 1) {
      const right = weights[x] ?? 0;
      const at = (row * width + (columns[x] ?? 0)) * 4;
      const below = at + width * 4;
      const out = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel += 1) {
        const upper = mix(data[at + channel] ?? 0, data[at + 4 + channel] ?? 0, right);
        const lower = mix(data[below + channel] ?? 0, data[below + 4 + channel] ?? 0, right);
        target.data[out + channel] = mix(upper, lower, down);
      }
    }
  }
}

/** Fades `target` toward `over`, of the same size; `amount` from 0 to 1. */
export function fadeTo(target: Pixels, over: Pixels, amount: number): void {
  const weight = Math.round(amount * 256);
  for (let at = 0; at < target.data.length; at += 1) {
    target.data[at] = mix(target.data[at] ?? 0, over.data[at] ?? 0, weight);
  }
}

/** Returns the visible pixels of a layer: most of a text layer is transparent. */
export function visiblePixels(layer: Pixels): Int32Array {
  const found: number[] = [];
  for (let at = 3; at < layer.data.length; at += 4) if (layer.data[at] !== 0) found.push(at - 3);
  return Int32Array.from(found);
}

/** Blends the given pixels of `layer` over `target`, `down` rows lower, at the given opacity. */
export function blend(
  layer: Pixels,
  visible: Int32Array,
  target: Pixels,
  opacity: number,
  down: number,
): void {
  const shift = down * target.width * 4;
  for (const at of visible) {
    const out = at + shift;
    if (out < 0 || out >= target.data.length) continue;
    const weight = Math.round(((layer.data[at + 3] ?? 0) / 255) * opacity * 256);
    for (let channel = 0; channel < 3; channel += 1) {
      target.data[out + channel] = mix(
        target.data[out + channel] ?? 0,
        layer.data[at + channel] ?? 0,
        weight,
      );
    }
  }
}

/** Mixes two values. The weight is from 0 (all `from`) to 256 (all `to`). */
function mix(from: number, to: number, weight: number): number {
  return from + (((to - from) * weight) >> 8);
}
