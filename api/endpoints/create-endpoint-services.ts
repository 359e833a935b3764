import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import type { Entitlement } from '../../domain/entitlement.ts';
import { createCredentialService } from '../../services/endpoints/credential-service.ts';
import { createOwnModels } from '../../services/endpoints/own-models.ts';
import { createPrivateEndpointService } from '../../services/endpoints/private-endpoint-service.ts';
import { requireEntitlement } from '../../services/endpoints/require-entitlement.ts';
import { createValidationService } from '../../services/endpoints/validation/validation-service.ts';
import type { ServiceParts } from '../service-parts.ts';

/** Creates the services for private endpoints and for customers' own keys of providers. */
export function createEndpointServices(parts: ServiceParts) {
  const { config, knex, encryption, memory, guard, runs, logger } = parts;
  const { catalog, ownViews } = memory;
  const checkUrl = (url: string): void => guard.checkUrl(url);
  const validations = createValidationService({ knex, runs });
  return {
    credentials: createCredentialService({
      knex,
      encryption,
      catalog,
      credentials: config.providers,
      checkUrl,
      forgetOwnResources: ownViews.forget,
    }),
    entitlements: {
      /** Throws a 403 unless the organization has the entitlement. */
      require: (organizationId: string, entitlement: Entitlement) =>
        requireEntitlement(knex, organizationId, entitlement),
    },
    ownModels: createOwnModels({ catalog, ownViews }),
    privateEndpoints: createPrivateEndpointService({
      knex,
      catalog: createCatalogStore(knex),
      checkUrl,
      forgetOwnResources: ownViews.forget,
      validations,
      logger,
    }),
    validations,
  };
}
