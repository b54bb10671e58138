import { token, tokenBaselineFields } from '@sluice/contract'
import type { ReactNode } from 'react'
import { EntityAddPage, EntityEditPage, preloadRow } from '../../crud/entity-pages.tsx'
import { entityForms } from '../../crud/entity-spec.ts'
import type { Preload } from '../../lib/preload.ts'
import { startModels } from './access-fields.tsx'
import { CreatedDialog } from './created-dialog.tsx'
import { TokenFields } from './token-fields.tsx'
import { changesOf, newToken, tokenFieldName, tokenResolver, valuesOf } from './token-values.ts'

const tokenForms = entityForms({
  listPath: '/token',
  texts: {
    list: 'nav.token',
    addTitle: 'token.add.title',
    addLead: 'token.lead',
    add: 'token.create',
    added: 'token.created.toast',
    editTitle: 'token.edit.title',
    edited: 'token.updated.toast',
  },
  get: token.get,
  create: token.create,
  update: token.update,
  search: token.search,
  newValues: newToken,
  toValues: valuesOf,
  resolverFor: () => tokenResolver,
  toUpdate: changesOf,
  compared: { names: tokenBaselineFields, texts: { nameOf: tokenFieldName } },
  nameOf: ({ name }) => name,
  firstField: 'name',
  Fields: TokenFields,
  Created: CreatedDialog,
})

const startRow = preloadRow(tokenForms)

export const preload: Preload = (client, search, params) => {
  startRow(client, search, params)
  startModels(client)
}

export function TokenAddPage(): ReactNode {
  return <EntityAddPage {...tokenForms} />
}

export function TokenEditPage(): ReactNode {
  return <EntityEditPage {...tokenForms} />
}
