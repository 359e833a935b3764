/** Defines logged inputs and outputs, and decides which generations of a workspace are logged. */
import { isSampled } from '../sampling.ts';

/** Prompt and answer of a generation, as input/output logging keeps them. */
export interface LoggedBody {
  input: { prompt: string } | { messages: unknown[] };
  output: { completion: string | null; reasoning: string | null };
  /** The error that the caller received; null on success. */
  error: LoggedError | null;
}

export interface LoggedError {
  message: string;
  /** The HTTP status; null for a video job, since its failure answers no request. */
  status: number | null;
  /** The provider of the reported attempt; null if no attempt was made. */
  providerName: string | null;
  /** The failed attempts before the reported one. */
  previousErrors: LoggedAttempt[];
}

export interface LoggedAttempt {
  /** The HTTP status. */
  code: number;
  message: string;
  providerName: string | null;
}

/** The settings of a workspace that decide which bodies are kept. */
interface LoggingSettings {
  isObservabilityIoLoggingEnabled: boolean;
  /** Numeric ids; null: all keys of the workspace. */
  ioLoggingApiKeyIds: readonly number[] | null;
  ioLoggingSamplingRate: number;
}

/** Returns whether a workspace keeps the body of a generation: by its switch, then its keys, then its share. */
export function logsBody(settings: LoggingSettings, keyId: number, generationId: string): boolean {
  if (!settings.isObservabilityIoLoggingEnabled) return false;
  const { ioLoggingApiKeyIds: keyIds, ioLoggingSamplingRate: rate } = settings;
  if (keyIds !== null && !keyIds.includes(keyId)) return false;
  return isSampled('io-logging', generationId, rate);
}
