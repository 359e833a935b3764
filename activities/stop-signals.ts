/** Tells activities that their worker stops. */
export interface StopSignals {
  /** Aborts when the worker is asked to stop. The SDK does not tell activities so before the grace is over. */
  requested: AbortSignal;
  /**
   * Aborts when the worker's grace is over, and for nothing else. The context's own signal also tells, with the answer
   * to a heartbeat, that the attempt was cancelled or timed out, and tells no more after that; but a call that is under
   * way may be paid for, and its answer is kept in the rows whoever still waits for it.
   */
  graceOver: AbortSignal;
}
