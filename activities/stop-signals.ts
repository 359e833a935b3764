/** The two signals by which activities learn that their worker stops. */
export interface StopSignals {
  /** Aborts when the worker begins to stop. The SDK itself signals activities only when the grace period is over. */
  requested: AbortSignal;
  /**
   * Aborts when the worker's grace period is over, and for no other reason. The signal of the SDK's context also
   * aborts when an attempt was cancelled or timed out. A provider call under way may be paid for by then, and its
   * answer must still be stored.
   */
  graceOver: AbortSignal;
}
