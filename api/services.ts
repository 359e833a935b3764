import type { createServices } from './create-services.ts';

/** All services that routes may call. They reject with an `AppError` when the caller is at fault. */
export type Services = ReturnType<typeof createServices>;

/** A caller's `Idempotency-Key`. */
export interface IdempotencyClaim {
  key: string;
  /** Lower-case hex SHA-256 over operation, path parameters and body. */
  requestHash: string;
}
