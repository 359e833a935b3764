import type { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../domain/runs.ts';
import type { Logger } from '../platform/logger.ts';

const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;

export interface ServerSetup {
  connection: Connection;
  namespace: string;
  logger: Logger;
}

/**
 * Registers the search attributes that operators filter by. It is safe to repeat, even in two workers at once. A server
 * may refuse: Temporal Cloud lacks the call, and a dev server allows ten attributes. Jobs then run without attributes,
 * and the log has the command to run by hand.
 */
export async function ensureSearchAttributes({ connection, namespace, logger }: ServerSetup): Promise<void> {
  try {
    const names = Object.values(SEARCH_ATTRIBUTES);
    const known = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = names.filter((name) => known.customAttributes[name] === undefined);
    if (missing.length === 0) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
    });
    logger.info({ missing }, 'search attributes registered');
  } catch (error) {
    logger.warn(
      { err: error, command: commandFor(namespace) },
      'search attributes not registered; run the command',
    );
  }
}

function commandFor(namespace: string): string {
  const flags = Object.values(SEARCH_ATTRIBUTES).map((name) => `--name ${name} --type Keyword`);
  return `temporal operator search-attribute create --namespace ${namespace} ${flags.join(' ')}`;
}
