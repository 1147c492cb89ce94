package dev.posthorn.http.auth;

/** What a token endpoint said. Nobody compares two. */
@SuppressWarnings("ArrayRecordComponent")
public record TokenAnswer(int status, byte[] body) {

    @Override
    public String toString() {
        return "status " + status + ", " + body.length + " bytes";
    }
}
