// Part of gst-capture. Apache License 2.0, see LICENSE.

/** An error that the service reports (RFC 9457), or a connection that failed (`status` 0). */
export class ServiceError extends Error {
  constructor(status, problem = {}) {
    super(problem.detail || '')
    this.status = status
    this.code = problem.code || (status ? 'unknown' : 'no-connection')
    this.reason = problem.reason
    this.advice = problem.advice
    /** The whole object of the response. */
    this.problem = problem
  }

  static async from(response) {
    let problem = {}
    try {
      problem = await response.json()
    } catch {
      // A proxy in between has other pages for errors.
    }
    return new ServiceError(response.status, problem)
  }
}

const pauses = [300, 1000, 3000]
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Sends a request to the API.
 *
 * A request that changes something has an idempotency key: after a lost connection it is sent again, and the service
 * captures no second picture.
 *
 * @param {string} path The path below `/api/v1/`.
 * @param {Object} [options] `query` has parameters, of which empty ones are left out; `json` or the blob `file` is the
 *   body; `headers` has more headers; `signal` aborts the request.
 * @returns {Promise<Response>}
 * @throws {ServiceError}
 */
export async function send(method, path, { query = {}, json, file, headers: more, signal } = {}) {
  const parameters = Object.entries(query).filter(([, value]) => value != null && value !== '')
  const target = address(path, parameters)
  const headers = { ...more }
  if (method !== 'GET') headers['Idempotency-Key'] = newKey()
  if (json) headers['Content-Type'] = 'application/json'
  if (file) headers['Content-Type'] = file.type
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(target, { method, headers, signal, body: file ?? (json && JSON.stringify(json)) })
      if (response.ok) return response
      throw await ServiceError.from(response)
    } catch (error) {
      if (error instanceof ServiceError || signal?.aborted) throw error
      if (attempt === pauses.length) throw new ServiceError(0)
      await pause(pauses[attempt])
    }
  }
}

/**
 * The path of the service, which ends with a slash. A proxy may serve it below another path than `/`; the files of the page
 * are at `page/HASH/` of it.
 */
export const root = new URL('../../', import.meta.url).pathname

/** Returns the address of a path below `/api/v1/`. */
export function address(path, parameters = []) {
  const list = Array.isArray(parameters) ? parameters : Object.entries(parameters)
  const query = list.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `${root}api/v1/${path}` + (query && `?${query}`)
}

/** Returns the object of a response. */
export const get = async (path, query, signal) => (await send('GET', path, { query, signal })).json()
export const post = (path, query, json) => send('POST', path, { query, json })

/** Returns a name that no other request has. `crypto.randomUUID` exists only over TLS. */
function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
