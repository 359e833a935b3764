import type { SpeechFormat } from '../../../domain/live/speech.ts';

/** Measures the duration of a sound from its bytes as they pass, in chunks of any size. */
export interface SpeechMeter {
  addBytes(bytes: Uint8Array): void;
  readonly seconds: number;
}

/** The sample rate of PCM, which is 24 kHz, 16 bit, mono. */
const PCM_SAMPLE_RATE = 24_000;
const PCM_BYTES_PER_SECOND = 2 * PCM_SAMPLE_RATE;

export function createSpeechMeter(format: SpeechFormat): SpeechMeter {
  return format === 'pcm' ? new PcmMeter() : new Mp3Meter();
}

class PcmMeter implements SpeechMeter {
  #bytes = 0;

  get seconds(): number {
    return this.#bytes / PCM_BYTES_PER_SECOND;
  }

  addBytes(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
  }
}

const HEADER_BYTES = 4;
/** The first byte of every MP3 frame. */
const SYNC = 0xff;
/** `ID3`, the first three bytes of a tag's ten-byte header; the tag's length is in the last four. */
const ID3 = 0x494433;
const ID3_HEADER_BYTES = 10;

/**
 * Measures MP3. Each frame's header gives its length and duration, so the bit rate may change. All other bytes, such as
 * a tag or an error page, count nothing; the meter searches them for the next frame.
 */
class Mp3Meter implements SpeechMeter {
  #seconds = 0;
  /** The number of bytes left of a frame or tag whose header was read. */
  #toSkip = 0;
  /** The last four bytes; `#windowBytes` is the number of them in use. */
  #window = 0;
  #windowBytes = 0;
  /** True when no frame or tag can begin within the last bytes. */
  #isLost = false;
  /** The number of bytes read of a tag's header. `#tagLength` is the length that the header contains. */
  #tagBytes = 0;
  #tagLength = 0;

  get seconds(): number {
    return this.#seconds;
  }

  addBytes(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#toSkip > 0) {
        const skipped = Math.min(this.#toSkip, bytes.length - at);
        this.#toSkip -= skipped;
        at += skipped;
        continue;
      }
      if (this.#isLost) {
        at = bytes.indexOf(SYNC, at);
        if (at === -1) return;
        this.#isLost = false;
      }
      const byte = bytes[at]!;
      at += 1;
      if (this.#tagBytes > 0) this.#readTag(byte);
      else this.#readHeader(byte);
    }
  }

  #readHeader(byte: number): void {
    this.#window = ((this.#window << 8) | byte) >>> 0;
    this.#windowBytes = Math.min(this.#windowBytes + 1, HEADER_BYTES);
    if (this.#windowBytes < HEADER_BYTES) return;
    const frame = frameOf(this.#window);
    if (frame !== undefined) {
      this.#seconds += frame.seconds;
      this.#toSkip = frame.bytes - HEADER_BYTES;
      this.#windowBytes = 0;
    } else if (this.#window >>> 8 === ID3) {
      this.#tagBytes = HEADER_BYTES;
      this.#tagLength = 0;
      this.#windowBytes = 0;
    } else if (!hasSync(this.#window & 0xffffff)) {
      this.#isLost = true;
      this.#windowBytes = 0;
    }
  }

  /** Reads a tag's length, which has seven bits in each byte. */
  #readTag(byte: number): void {
    this.#tagBytes += 1;
    if (this.#tagBytes > ID3_HEADER_BYTES - 4) this.#tagLength = this.#tagLength * 128 + (byte & 0x7f);
    if (this.#tagBytes < ID3_HEADER_BYTES) return;
    this.#tagBytes = 0;
    this.#toSkip = this.#tagLength;
  }
}

/** Returns whether one of the three bytes may begin a frame. */
function hasSync(bytes: number): boolean {
  return bytes >>> 16 === SYNC || ((bytes >>> 8) & 0xff) === SYNC || (bytes & 0xff) === SYNC;
}

/** Kilobits a second of MPEG 1, and of the lower sampling rates, by ISO 11172-3 and 13818-3, layer III. */
const BIT_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const LOW_BIT_RATES = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];
/** Divisors of the sampling rate by the two version bits: MPEG 2.5, reserved, 2, 1. */
const RATE_DIVISORS = [4, 0, 2, 1];
const LAYER_III = 1;

/** Parses a frame's header. Undefined when the four bytes are not a header. */
function frameOf(header: number): { bytes: number; seconds: number } | undefined {
  if (header >>> 21 !== 0x7ff || ((header >>> 17) & 3) !== LAYER_III) return undefined;
  const divisor = RATE_DIVISORS[(header >>> 19) & 3] ?? 0;
  const kilobits = (divisor === 1 ? BIT_RATES : LOW_BIT_RATES)[(header >>> 12) & 15] ?? 0;
  const sampleRate = (SAMPLE_RATES[(header >>> 10) & 3] ?? 0) / divisor;
  if (divisor === 0 || kilobits === 0 || sampleRate === 0) return undefined;
  const samples = divisor === 1 ? 1_152 : 576;
  const padding = (header >>> 9) & 1;
  const bytes = Math.floor(((samples / 8) * kilobits * 1_000) / sampleRate) + padding;
  return { bytes, seconds: samples / sampleRate };
}
