/** Width and height in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** The dimensions of a picture or a video, in pixels and by the names of a vendor. */
export interface Shape {
  size?: Size | undefined;
  resolution?: string | undefined;
  aspectRatio?: string | undefined;
}

export function formatSize({ width, height }: Size): string {
  return `${width}x${height}`;
}

export function parseSize(text: string): Size | undefined {
  const match = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(text);
  return match === null ? undefined : { width: Number(match[1]), height: Number(match[2]) };
}

export function isSameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
