package dev.posthorn.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.posthorn.http.auth.AuthHeader;
import dev.posthorn.http.auth.CredentialsUnavailable;
import dev.posthorn.http.client.Response;
import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import dev.posthorn.sink.Reply;
import dev.posthorn.sink.Secrets;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.client5.http.utils.DateUtils;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.MalformedChunkCodingException;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.TruncatedChunkException;
import org.apache.hc.core5.http.impl.EnglishReasonPhraseCatalog;
import org.apache.hc.core5.http2.impl.nio.ProtocolNegotiationException;
import org.jspecify.annotations.Nullable;

/** What a receiver's answer, or the lack of one, means for an event. */
final class FailureClassifier {

    private static final int PROXY_AUTHENTICATION_REQUIRED = 407;
    private static final int LONGEST_QUOTE = 200;

    /** Line breaks of every kind, terminals' escapes, and what turns the direction of writing: a reason is read in logs. */
    private static final Pattern SPACE = Pattern.compile("[\\s\\p{Cc}\\p{Cf}\\u2028\\u2029]+");

    /** In seconds; who asks for more asks for no less. */
    private static final String LONGEST_WISH = "999999999";

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");

    private final Set<Integer> retried;
    private final Collection<String> secrets;
    private final InstantSource clock;

    /**
     * @param retried the statuses that pass, of those that otherwise mean a rejection
     * @param secrets what every request holds and no answer may be quoted with
     */
    FailureClassifier(Set<Integer> retried, Collection<String> secrets, InstantSource clock) {
        this.retried = retried;
        this.secrets = secrets;
        this.clock = clock;
    }

    Outcome of(Response response, @Nullable AuthHeader shown) {
        int status = response.status();
        Reply reply = new Reply(status, hidden(response.text(), shown));
        if (status >= 200 && status < 300) {
            return new Outcome.Delivered(reply);
        }
        String reason = reason(reply);
        if (status == PROXY_AUTHENTICATION_REQUIRED) {
            return new Outcome.Unavailable(ErrorClass.AUTH, "the proxy does not let us: " + reason, reply);
        }
        if (isPassing(status)) {
            return new Outcome.Retry(errorClass(status), reason, wish(response.retryAfter()), reply);
        }
        return status == 410 ? new Outcome.Gone(reason, reply) : new Outcome.Reject(errorClass(status), reason, reply);
    }

    private boolean isPassing(int status) {
        return status >= 500 || status == 408 || status == 425 || status == 429 || retried.contains(status);
    }

    private static ErrorClass errorClass(int status) {
        return switch (status) {
            case 400, 415, 422 -> ErrorClass.INVALID;
            case 401, 403 -> ErrorClass.AUTH;
            case 408 -> ErrorClass.TIMEOUT;
            case 410 -> ErrorClass.GONE;
            case 413, 431 -> ErrorClass.TOO_LARGE;
            case 425, 429 -> ErrorClass.THROTTLED;
            default -> status >= 500 ? ErrorClass.SERVER_ERROR : ErrorClass.REJECTED;
        };
    }

    /** People search for what the receiver said; all of it that is kept is in the reply. */
    private static String reason(Reply reply) {
        // The catalogue throws for statuses that HTTP does not have; receivers send them all the same.
        String phrase =
                reply.code() < 600 ? EnglishReasonPhraseCatalog.INSTANCE.getReason(reply.code(), Locale.ROOT) : null;
        String status = "HTTP " + reply.code() + (phrase == null ? "" : " " + phrase);
        if (reply.code() >= 300 && reply.code() < 400) {
            status += ", and redirects are not followed: give the new URL to the subscription";
        }
        String quote = SPACE.matcher(reply.text()).replaceAll(" ").strip();
        if (quote.isEmpty()) {
            return status;
        }
        return status + ": " + (quote.length() > LONGEST_QUOTE ? quote.substring(0, LONGEST_QUOTE) + "…" : quote);
    }

    /** Seconds or a date; anything else is no wish. How long a wish may be is the retry policy's affair. */
    private @Nullable Duration wish(@Nullable String retryAfter) {
        if (retryAfter == null) {
            return null;
        }
        String text = retryAfter.strip();
        if (SECONDS.matcher(text).matches()) {
            return text.length() > LONGEST_WISH.length()
                    ? wish(LONGEST_WISH)
                    : Duration.ofSeconds(Long.parseLong(text));
        }
        Instant date = DateUtils.parseStandardDate(text);
        Duration until = date == null ? null : Duration.between(clock.instant(), date);
        return until == null || until.isNegative() ? null : until;
    }

    /** Some receivers say what they were told. */
    private String hidden(String text, @Nullable AuthHeader shown) {
        if (text.isEmpty()) {
            return text;
        }
        List<String> all = new ArrayList<>(secrets);
        if (shown != null) {
            all.addAll(shown.secrets());
        }
        return new Secrets(all.stream().flatMap(FailureClassifier::written).toList()).hiddenIn(text);
    }

    /** As it stands in a header, in JSON, in a form and in HTML. */
    private static Stream<String> written(String secret) {
        return Stream.of(
                        secret,
                        secret.replace("\\", "\\\\").replace("\"", "\\\""),
                        URLEncoder.encode(secret, UTF_8),
                        secret.replace("&", "&amp;")
                                .replace("<", "&lt;")
                                .replace(">", "&gt;")
                                .replace("\"", "&quot;"))
                .distinct();
    }

    /** @param connected whether the request may have reached the receiver */
    Outcome.Failure of(Throwable error, boolean connected, @Nullable AuthHeader shown) {
        String message =
                hidden(error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage(), shown);
        if (error instanceof CredentialsUnavailable) {
            return new Outcome.Unavailable(ErrorClass.AUTH, message);
        }
        if (error instanceof UnknownHostException) {
            return new Outcome.Unavailable(ErrorClass.DNS, message);
        }
        if (error instanceof SSLException
                || error instanceof GeneralSecurityException
                || error instanceof ProtocolNegotiationException) {
            return new Outcome.Unavailable(ErrorClass.TLS, "no secure connection: " + message);
        }
        if (error instanceof ConnectTimeoutException) {
            return new Outcome.Unavailable(ErrorClass.TIMEOUT, message);
        }
        if (error instanceof ConnectException || error instanceof NoRouteToHostException) {
            return new Outcome.Unavailable(ErrorClass.REFUSED, message);
        }
        if (isUnreadable(error)) {
            return new Outcome.Retry(ErrorClass.SERVER_ERROR, "the answer is not HTTP: " + message);
        }
        if (error instanceof IOException) {
            return connected
                    ? new Outcome.Retry(ErrorClass.DISCONNECTED, "the connection broke: " + message)
                    : new Outcome.Unavailable(ErrorClass.REFUSED, "no connection: " + message);
        }
        return new Outcome.Retry(ErrorClass.UNKNOWN, message);
    }

    /** Something came back, but no answer that could be read; a chunk that is cut off is only a broken connection. */
    static boolean isUnreadable(Throwable error) {
        return error instanceof HttpException
                || error instanceof MessageConstraintException
                || (error instanceof MalformedChunkCodingException && !(error instanceof TruncatedChunkException));
    }
}
