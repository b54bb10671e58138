import { contract, type Settings } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import { implement } from '../implement.ts'

interface CatalogueDeps {
  readonly settings: () => Settings
}

export const catalogueApi = ({ settings }: CatalogueDeps) =>
  implement(contract.catalogue, {
    groups: async () => [...settings().GroupRatio.keys()].sort(),
    models: async () => Object.fromEntries(vendors.map(({ type, models }) => [String(type), [...models.names]])),
  })
