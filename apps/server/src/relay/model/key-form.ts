/** The places where a client may send its key. */
export type KeyForm = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key' | 'query' | 'subprotocol'
