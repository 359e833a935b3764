/** Reads which settings each type of destination has, from the API's own description. */
import { useQuery } from '@tanstack/react-query';
import { asProblem } from '../../api/problem.ts';
import type { components } from '../../../generated/api.d.ts';

export type DestinationRecord = components['schemas']['ObservabilityDestination'];

/** The schema of one setting. */
export interface Setting {
  type?: string;
  description?: string;
  default?: string | number;
  enum?: readonly string[];
  /** True: a secret. */
  writeOnly?: boolean;
}

interface Schema {
  /** Names the type of a destination, in the schema of its configuration. */
  title?: string;
  properties: Record<string, Setting & { anyOf?: { $ref: string }[] }>;
  required?: readonly string[];
}

export interface DestinationSchemas {
  /** The settings that all types have, such as the share that is sent. */
  rules: Schema['properties'];
  configs: readonly Schema[];
}

export function useDestinationSchemas() {
  return useQuery({
    queryKey: ['openapi', 'destinations'],
    staleTime: 'static',
    async queryFn({ signal }): Promise<DestinationSchemas> {
      const response = await fetch('/docs/openapi.json', { signal }).catch((error: unknown) => {
        throw signal.aborted ? error : asProblem(error);
      });
      const document = (await response.json()) as { components: { schemas: Record<string, Schema> } };
      const { schemas } = document.components;
      const { properties } = schemas['NewObservabilityDestination']!;
      const simple = Object.entries(properties).filter(
        ([name, { type = '' }]) => SIMPLE.includes(type) && name !== 'enabled',
      );
      const configs = properties['config']?.anyOf ?? [];
      return {
        rules: Object.fromEntries(simple),
        configs: configs.map(({ $ref }) => schemas[$ref.split('/').at(-1)!]!),
      };
    },
  });
}

/** The types of settings with a field. Lists of keys, regions and filters are set by the API, `enabled` by a button. */
const SIMPLE = ['boolean', 'number'];
