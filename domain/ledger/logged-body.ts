import { isSampled } from '../sampling.ts';

/** What was asked and answered, as input/output logging keeps it. */
export interface LoggedBody {
  input: { prompt: string } | { messages: unknown[] };
  output: { completion: string | null; reasoning: string | null };
  /** What the caller was told; null when nothing failed. */
  error: LoggedError | null;
}

export interface LoggedError {
  message: string;
  /** The HTTP status; null for a video job, whose failure is no answer to a request. */
  status: number | null;
  /** Of the attempt that was reported; null when none was made. */
  providerName: string | null;
  /** Attempts that failed before it. */
  previousErrors: LoggedAttempt[];
}

export interface LoggedAttempt {
  /** HTTP. */
  code: number;
  message: string;
  providerName: string | null;
}

/** The settings of a workspace that decide whose bodies are kept. */
interface LoggingSettings {
  isObservabilityIoLoggingEnabled: boolean;
  /** Numeric ids; null means all keys of the workspace. */
  ioLoggingApiKeyIds: readonly number[] | null;
  ioLoggingSamplingRate: number;
}

/** Whether a workspace wants the body of a generation kept: its switch, then its keys, then its share. */
export function wantsBody(settings: LoggingSettings, keyId: number, generationId: string): boolean {
  if (!settings.isObservabilityIoLoggingEnabled) return false;
  const { ioLoggingApiKeyIds: keyIds, ioLoggingSamplingRate: rate } = settings;
  if (keyIds !== null && !keyIds.includes(keyId)) return false;
  return isSampled('io-logging', generationId, rate);
}
