import { randomBytes } from 'node:crypto';
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../../domain/runs.ts';

export interface TestNamespace {
  /** `host:port`, for a worker's NativeConnection. */
  address: string;
  namespace: string;
  connection: Connection;
  /** Ends the connection. The namespace goes with the server: deleting it costs more than all of its use. */
  close(): Promise<void>;
}

const { INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;

/**
 * A Temporal namespace for one suite: its workflows, queues, schedules and search attributes meet no other
 * suite's, although all use the names of production. It is usable at once and costs milliseconds.
 */
export async function createTestNamespace(
  options: { searchAttributes: boolean } = { searchAttributes: true },
): Promise<TestNamespace> {
  const address = process.env['SLUICE_TEST_TEMPORAL_ADDRESS'];
  if (!address) {
    throw new Error('Run this with npm test -- FILE, or set SLUICE_TEST_TEMPORAL_ADDRESS to a dev server.');
  }
  const connection = await Connection.connect({ address });
  const namespace = `test-${randomBytes(8).toString('hex')}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: proto.google.protobuf.Duration.fromObject({ seconds: 86_400 }),
  });
  if (options.searchAttributes) {
    const names = Object.values(SEARCH_ATTRIBUTES);
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(names.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD])),
    });
  }
  return { address, namespace, connection, close: () => connection.close() };
}
