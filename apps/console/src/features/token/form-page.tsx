import { token, tokenShownNames } from '@sluice/contract'
import type { ReactNode } from 'react'
import { EntityAddPage, EntityEditPage } from '../../crud/entity-pages.tsx'
import { entityForms } from '../../crud/entity-spec.ts'
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
  newValues: newToken,
  toValues: valuesOf,
  resolverFor: () => tokenResolver,
  toUpdate: changesOf,
  compared: { names: tokenShownNames, texts: { nameOf: tokenFieldName } },
  nameOf: ({ name }) => name,
  firstField: 'name',
  Fields: TokenFields,
  Created: CreatedDialog,
})

export function TokenAddPage(): ReactNode {
  return <EntityAddPage {...tokenForms} />
}

export function TokenEditPage(): ReactNode {
  return <EntityEditPage {...tokenForms} />
}
