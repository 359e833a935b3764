/** Estimates how many tokens vendors charge for sound, videos and files, from their bytes. */

/** Counts of tokens for one medium. */
export interface MediumTokens {
  /** The usual count. */
  usual: number;
  /** The count to reserve. Infinity when the request does not contain the medium, because its length is unknown. */
  reserved: number;
  /** The highest possible count. Infinity for compressed media, of which a few bytes may be an hour or a book. */
  most: number;
}

/** The tokens that are assumed for a picture, and for a medium that the request does not contain. */
export const TOKENS_PER_MEDIUM = 1_000;

/**
 * Tokens for a second of sound. OpenAI charges 10 (developers.openai.com/api/docs/guides/realtime-costs) and Gemini
 * 32 (ai.google.dev/gemini-api/docs/audio), both read 2026-11-27.
 */
const TOKENS_PER_SECOND = 32;

/** Bytes of a second of compressed sound: at the lowest bit rate of MP3 (8 kbit/s), and at a usual one (64 kbit/s). */
const LEAST_SOUND_BYTES = 1_000;
const USUAL_SOUND_BYTES = 8_000;

/** Bytes of a second of formats without a header (OpenAI, "Voice agents", audio formats). */
const RAW_SOUND_BYTES: ReadonlyMap<unknown, number> = new Map<unknown, number>([
  ['pcm16', 48_000],
  ['g711_ulaw', 8_000],
  ['g711_alaw', 8_000],
]);

/**
 * Bytes of a video for each token. Gemini charges 300 tokens a second
 * (ai.google.dev/gemini-api/docs/video-understanding, read 2026-11-27): one second has about 125,000 bytes at 1
 * Mbit/s, and few if the picture stands still.
 */
const USUAL_VIDEO_BYTES = 400;
const LEAST_VIDEO_BYTES = 8;

/** Bytes of a file for each token. */
const FILE_BYTES = 4;

const UNKNOWN: MediumTokens = { usual: TOKENS_PER_MEDIUM, reserved: Infinity, most: Infinity };

/** Returns the tokens of a medium that the request names by a URL or an id. */
export function tokensOfUnknown(): MediumTokens {
  return UNKNOWN;
}

/** Returns the tokens of a file, given as base64 or as a data URL. */
export function tokensOfFile(data: string): MediumTokens {
  const bytes = bytesOf(data);
  const usual = Math.ceil(bytes / FILE_BYTES);
  return { usual, reserved: usual, most: Infinity };
}

/** Returns the tokens of a video, given as base64 or as a data URL. */
export function tokensOfVideo(data: string): MediumTokens {
  const bytes = bytesOf(data);
  return {
    usual: Math.ceil(bytes / USUAL_VIDEO_BYTES),
    reserved: Math.ceil(bytes / LEAST_VIDEO_BYTES),
    most: Infinity,
  };
}

/**
 * Returns the tokens of sound, given as base64 or as a data URL: by its duration if its format tells the bytes of a
 * second, else by its bytes.
 */
export function tokensOfSound(data: string, format: unknown): MediumTokens {
  const bytes = bytesOf(data);
  const perSecond = bytesOfSecond(data, format);
  const tokensAt = (rate: number): number => Math.ceil((bytes / rate) * TOKENS_PER_SECOND);
  return {
    usual: tokensAt(perSecond ?? USUAL_SOUND_BYTES),
    reserved: tokensAt(perSecond ?? LEAST_SOUND_BYTES),
    most: perSecond === undefined ? Infinity : Math.ceil(bytes),
  };
}

/** The beginnings of files of sound, in Latin-1: WAV, AIFF, CAF, MP3, AAC, Ogg, FLAC, AMR, WebM and MP4. */
const KNOWN_FILE =
  /^(?:RIFF|RF64|FORM|caff|ID3|OggS|fLaC|#!AMR|.E\xdf\xa3|.{4}ftyp|\xff[\xe2\xe3\xf0-\xf3\xf8-\xfb][^\xf0-\xff])/s;

/**
 * Returns the bytes of a second of sound whose rate is constant; undefined for other sound. The caller's word that
 * sound has no header is believed only if it does not begin like a file, whose header a decoder would read.
 */
function bytesOfSecond(data: string, format: unknown): number | undefined {
  const start = data.startsWith('data:') ? data.indexOf(',') + 1 : 0;
  const head = Buffer.from(data.slice(start, start + 64), 'base64');
  return KNOWN_FILE.test(head.toString('latin1')) ? bytesOfWaveSecond(head) : RAW_SOUND_BYTES.get(format);
}

/** The formats of WAV in which each second has the same number of bytes: integers, floats, and either of them. */
const UNCOMPRESSED: ReadonlySet<number> = new Set([1, 3, 0xfffe]);

/** Returns the bytes of a second by the header of a WAV file without compression; undefined for other files. */
function bytesOfWaveSecond(head: Buffer): number | undefined {
  if (head.length < 36 || head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (head.toString('latin1', 8, 16) !== 'WAVEfmt ' || !UNCOMPRESSED.has(head.readUInt16LE(20)))
    return undefined;
  const rate = Math.min(head.readUInt32LE(28), head.readUInt32LE(24) * head.readUInt16LE(32));
  return rate >= LEAST_SOUND_BYTES ? rate : undefined;
}

/** Returns how many bytes base64 stands for: three for four characters. */
function bytesOf(base64: string): number {
  return (base64.length * 3) / 4;
}
