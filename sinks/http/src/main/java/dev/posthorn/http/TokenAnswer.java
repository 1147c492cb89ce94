package dev.posthorn.http;

/** What a token endpoint said. Nobody compares two. */
@SuppressWarnings("ArrayRecordComponent")
record TokenAnswer(int status, byte[] body) {

    @Override
    public String toString() {
        return "status " + status + ", " + body.length + " bytes";
    }
}
