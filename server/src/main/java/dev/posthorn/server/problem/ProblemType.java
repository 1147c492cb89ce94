package dev.posthorn.server.problem;

/** The kinds of problem, each with its HTTP status. Its name is part of the API: {@code urn:posthorn:problem:…}. */
public enum ProblemType {
    INVALID_REQUEST(400, "The request breaks a rule"),
    INVALID_EVENT(400, "An event breaks a rule"),
    NO_KEY(401, "An API key is needed"),
    FORBIDDEN(403, "The API key does not allow this"),
    NOT_FOUND(404, "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "This path does not know that method"),
    NOT_ACCEPTABLE(406, "There is no answer in a form that was asked for"),
    TOO_SLOW(408, "The request came too slowly"),
    CONFLICT(409, "The request does not go with what is there"),
    IN_DOUBT(409, "Nobody knows whether it arrived"),
    STALE(412, "It was changed by somebody else"),
    TOO_LARGE(413, "The request is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "The body is in a form that is not understood here"),
    REFUSED(422, "The system behind the guard refused the event"),
    HEADERS_TOO_LARGE(431, "The request's headers are too large"),
    TOO_MANY_REQUESTS(429, "There are too many requests"),
    INTERNAL(500, "Something went wrong that nobody expected"),
    UNAVAILABLE(503, "The hub cannot do this at the moment");

    private final int status;
    private final String title;

    ProblemType(int status, String title) {
        this.status = status;
        this.title = title;
    }

    public int status() {
        return status;
    }

    public String title() {
        return title;
    }

    /** As RFC 9457's {@code type}. */
    public String urn() {
        return "urn:posthorn:problem:"
                + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
