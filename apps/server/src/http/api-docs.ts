import { type Language, languageOf } from '@sluice/contract'
import { openApi } from '@sluice/contract/openapi'
import type { FieldReader } from '@sluice/http1/fields'
import { SharedBody, SharedResponse } from '@sluice/http1/shared-response'
import { apiPage, apiPagePolicy } from './api-page.ts'

const kept = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', vary: 'accept-language' }

/** Documentation of the management API: an OpenAPI document for programs and a page for people, in the client's language. */
export interface ApiDocs {
  readonly document: (headers: FieldReader) => Response
  readonly page: (headers: FieldReader) => Response
}

export function createApiDocs(): ApiDocs {
  // Made on first use: it takes some tens of milliseconds.
  const made = new Map<Language, Texts>()
  const textsFor = (headers: FieldReader): Texts => {
    const language = languageOf(headers.get('accept-language'))
    const texts = made.get(language) ?? textsIn(language)
    made.set(language, texts)
    return texts
  }
  return {
    document: (headers) =>
      new SharedResponse(textsFor(headers).document, {
        ...kept,
        'content-type': 'application/json; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      }),
    page: (headers) =>
      new SharedResponse(textsFor(headers).page, {
        ...kept,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': apiPagePolicy,
      }),
  }
}

interface Texts {
  readonly document: SharedBody
  readonly page: SharedBody
}

function textsIn(language: Language): Texts {
  const document = openApi(language)
  return { document: new SharedBody(JSON.stringify(document)), page: new SharedBody(apiPage(document, language)) }
}
