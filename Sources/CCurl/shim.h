// Part of gst-capture. Apache License 2.0, see LICENSE.

#include <curl/curl.h>
#include <stdint.h>

// Swift cannot call functions with a variable number of arguments.

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline long ccurl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static inline long ccurl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return (long)seconds;
}

static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, int64_t value) {
    return curl_easy_setopt(handle, option, (curl_off_t)value);
}

static inline CURLcode ccurl_set_bytes(CURL *handle, CURLoption option, char *bytes) {
    return curl_easy_setopt(handle, option, bytes);
}

// Sets the functions that receive the head and the body of a response, and watch its progress. Each gets the context.
static inline void ccurl_receive(CURL *handle, void *context, curl_write_callback header, curl_write_callback body,
                                 curl_xferinfo_callback progress) {
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress);
}

// Sets the functions that give the body of a request.
static inline void ccurl_send(CURL *handle, void *context, curl_read_callback read, curl_seek_callback seek) {
    curl_easy_setopt(handle, CURLOPT_READDATA, context);
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(handle, CURLOPT_SEEKDATA, context);
    curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, seek);
}

static inline CURLcode ccurl_set_form(CURL *handle, curl_mime *form) {
    return curl_easy_setopt(handle, CURLOPT_MIMEPOST, form);
}

// The reason why a certificate is refused: a number X509_V_ERR_* of OpenSSL.
static inline long ccurl_certificate_fault(CURL *handle) {
    long fault = 0;
    curl_easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &fault);
    return fault;
}

static inline int64_t ccurl_sent(CURL *handle) {
    curl_off_t bytes = 0;
    curl_easy_getinfo(handle, CURLINFO_SIZE_UPLOAD_T, &bytes);
    return bytes;
}

// Swift does not import macros with a cast.
static const long ccurl_auth_basic = CURLAUTH_BASIC;
static const size_t ccurl_abort_read = CURL_READFUNC_ABORT;
