/** Makes the masks that are stored beside secrets again, so that rows of an earlier version follow today's rules. */
import {
  createDestinationMaskStore,
  createLabelStore,
  type MaskedSecret,
  type MaskStore,
} from '../../db/mask-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { type AnyConfig, maskConfig } from '../../domain/broadcast/masked-config.ts';
import type { DestinationType } from '../../domain/broadcast/destination.ts';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import { parseCredentialKey } from '../../domain/endpoints/credential-key.ts';
import { maskSecret } from '../../domain/masked-secret.ts';
import { type Encryption, EncryptionError } from '../../platform/encryption.ts';
import type { Logger } from '../../platform/logger.ts';
import { destinationConfigContext } from '../broadcast/sealed-config.ts';

export interface RenewMasksDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'open'>;
  logger: Pick<Logger, 'info' | 'warn'>;
}

const PAGE = 200;
const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/**
 * Replaces the masks of destinations and of customers' own vendor keys that differ from those which this version
 * makes. A secret that cannot be opened keeps its mask. It may run repeatedly, in several processes at once, and a run
 * that is killed leaves the rest to the next one. A failure is logged only, because the masks are for display.
 */
export async function renewMasks({ knex, encryption, logger }: RenewMasksDeps): Promise<void> {
  const open = (sealed: string, context: string): string => encryption.open(sealed, context).toString('utf8');
  try {
    const settings = await renewAll(createDestinationMaskStore(knex), ({ id, kind, sealed }) => {
      const config = JSON.parse(open(sealed, destinationConfigContext(id))) as AnyConfig;
      return JSON.stringify(maskConfig(kind as DestinationType, config));
    });
    const labels = await renewAll(createLabelStore(knex), ({ id, kind, sealed }) => {
      const secret = parseCredentialKey(kind, open(sealed, byokSecretContext(id)));
      return maskSecret(typeof secret === 'string' ? '' : secret.apiKey);
    });
    if (settings + labels > 0) logger.info({ settings, labels }, 'masks of secrets were made again');
  } catch (error) {
    logger.warn({ err: error }, 'masks of secrets could not be made again; the next start tries it');
  }
}

/** Renews the masks of one store, page by page. Returns the number of replaced masks. */
async function renewAll(store: MaskStore, maskOf: (secret: MaskedSecret) => string): Promise<number> {
  let replaced = 0;
  let after: string | undefined = BEFORE_ALL_IDS;
  while (after !== undefined) {
    const page: MaskedSecret[] = await store.page(after, PAGE);
    const masks = page.flatMap((secret) => {
      const mask = unlessSealed(() => maskOf(secret));
      return mask === undefined ? [] : [{ id: secret.id, sealed: secret.sealed, mask }];
    });
    replaced += await store.replace(masks);
    after = page.at(PAGE - 1)?.id;
  }
  return replaced;
}

/** Returns undefined for a secret that does not open, for example because its master key is not configured. */
function unlessSealed(mask: () => string): string | undefined {
  try {
    return mask();
  } catch (error) {
    if (error instanceof EncryptionError) return undefined;
    throw error;
  }
}
