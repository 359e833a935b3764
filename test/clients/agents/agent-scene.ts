import { type Gateway, startGateway } from '../../support/gateway.ts';
import { type AgentUpstream, startAgentUpstream, type Step } from './agent-upstream.ts';
import { createAnswered } from './answered.ts';

/** A gateway over an upstream that only speaks chat. */
export interface AgentScene {
  gateway: Gateway;
  upstream: AgentUpstream;
  /** The requests that the gateway answered: `200 POST /api/v1/messages`. */
  requests: string[];
  /** Begins a task, which the model works on in these steps. */
  begin(...steps: Step[]): void;
  close(): Promise<void>;
}

export async function startAgentScene(): Promise<AgentScene> {
  const steps: Step[] = [];
  const { logger, requests } = createAnswered();
  const upstream = await startAgentUpstream(steps);
  const env = { PROVIDER_LOCAL_BASE_URL: upstream.baseUrl };
  const gateway = await startGateway({ logger, env });
  return {
    gateway,
    upstream,
    requests,
    begin(...next) {
      steps.splice(0, steps.length, ...next);
      upstream.asked.length = 0;
      requests.length = 0;
    },
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}
