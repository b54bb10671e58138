import { type Language, languageOf } from '@sluice/contract'
import { openApi } from '@sluice/contract/openapi'
import type { FieldReader } from '@sluice/http1/fields'
import { SharedBody, SharedResponse } from '@sluice/http1/shared-response'
import { apiPage, apiPagePolicy } from './api-page.ts'

const kept = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', vary: 'accept-language' }

/** Documentation of the management API: an OpenAPI document for programs and a page for people, in the client's language. */
export interface ApiDocs {
  /** @param basePath path below which the browser reached the server; empty = the root */
  readonly document: (headers: FieldReader, basePath: string) => Response
  /** @param basePath likewise */
  readonly page: (headers: FieldReader, basePath: string) => Response
}

export function createApiDocs(): ApiDocs {
  // Made on first use: it takes some tens of milliseconds.
  const textsByLanguage = new Map<Language, Texts>()
  const textsFor = (headers: FieldReader): Texts => {
    const language = languageOf(headers.get('accept-language'))
    const texts = textsByLanguage.get(language) ?? textsIn(language)
    textsByLanguage.set(language, texts)
    return texts
  }
  return {
    document: (headers, basePath) =>
      new SharedResponse(withBasePath(textsFor(headers).document, basePath, ['"servers":[{"url":"/"', `"servers":[{"url":"${basePath}"`]), {
        ...kept,
        'content-type': 'application/json; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      }),
    page: (headers, basePath) =>
      new SharedResponse(withBasePath(textsFor(headers).page, basePath, [' href="/', ` href="${basePath}/`]), {
        ...kept,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': apiPagePolicy,
      }),
  }
}

/** Replaces an address of the root in a text. */
function withBasePath(body: SharedBody, basePath: string, [rooted, below]: readonly [string, string]): SharedBody {
  return basePath === '' ? body : new SharedBody(new TextDecoder().decode(body.bytes).replace(rooted, below))
}

interface Texts {
  readonly document: SharedBody
  readonly page: SharedBody
}

function textsIn(language: Language): Texts {
  const document = openApi(language)
  return { document: new SharedBody(JSON.stringify(document)), page: new SharedBody(apiPage(document, language)) }
}
