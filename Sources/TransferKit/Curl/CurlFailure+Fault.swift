// Part of gst-capture. Apache License 2.0, see LICENSE.

#if Service
import CCurl
import CaptureBase
import UploadKit

extension CurlFailure {
    /// The fault in words.
    var fault: TransferFault {
        switch cause {
        case .canceled: .canceled
        case .changed: .changed("the file changed while it was sent")
        case .stalled: .unreachable("the server stopped answering", pause: nil)
        case .tooLong: .unreachable("the answer of the server is too long", pause: nil)
        case .unstored(let number): FetchedFile.storeFault(CaptureError.systemMessage(number))
        case .code(let code): fault(of: code)
        }
    }

    /// The fault of a request for a file whose size is known.
    var fetchFault: TransferFault { if case .tooLong = cause { FetchedFile.otherContent } else { fault } }

    private func fault(of code: CURLcode) -> TransferFault {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            .unreachable("the name of the server cannot be resolved", pause: nil)
        case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT: .unreachable("the server does not answer", pause: nil)
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_SSH:
            .unreachable("the connection to the server broke", pause: nil)
        case CURLE_PEER_FAILED_VERIFICATION: certificateFaultInWords
        case CURLE_SSL_CACERT_BADFILE: .access("the file with the certificates of the authority cannot be read")
        case CURLE_LOGIN_DENIED: .access("the server refuses the user, the key or the password")
        case CURLE_REMOTE_ACCESS_DENIED: .access("the server denies access to the folder")
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .access("the address is invalid: \(message)")
        default: .unreachable(message, pause: nil)
        }
    }

    private var certificateFaultInWords: TransferFault {
        switch certificateFault {
        case Certificate.notYetValid:
            .clock("the certificate of the server is not yet valid: is the clock of this machine right?")
        case Certificate.expired: .access("the certificate of the server has expired")
        case _ where Certificate.unknownAuthority.contains(certificateFault):
            .access("the certificate of the server is not signed by an authority that this machine knows")
        case 0: .access("the server is another one than expected: \(message)")
        default: .access("the certificate of the server is refused: \(message)")
        }
    }

    /// Numbers of OpenSSL (x509_vfy.h).
    private enum Certificate {
        /// `X509_V_ERR_CERT_NOT_YET_VALID`.
        static let notYetValid = 9
        /// `X509_V_ERR_CERT_HAS_EXPIRED`.
        static let expired = 10
        /// `X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT` to `X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE`.
        static let unknownAuthority = 18...21
    }
}
#endif
