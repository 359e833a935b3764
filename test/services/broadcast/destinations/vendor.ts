import type { DestinationConfig } from '../../../../domain/broadcast/destination-config.ts';
import type { ToolAnswer, ToolRequest } from './fake-tool.ts';

/** A tool as its documentation describes it. */
export interface Vendor {
  /** A configuration that leads to a server at `origin`. */
  configure(origin: string): DestinationConfig;
  /** The host of the vendor, where no configuration names one. */
  fixedOrigin?: string;
  /** The texts of the configuration that nobody may see, and what is made from them. */
  secrets: string[];
  /** The headers that prove who sends. */
  authHeaders: string[];
  /** Throws for a request that breaks the documentation. */
  answer(request: ToolRequest): ToolAnswer;
}
