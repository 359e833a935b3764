/** Holds a picture of one pixel. */
const BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const PNG = `data:image/png;base64,${BASE64}`;
export const PNG_BYTES = Buffer.from(BASE64, 'base64');
