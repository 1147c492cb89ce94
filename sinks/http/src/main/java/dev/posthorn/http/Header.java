package dev.posthorn.http;

/** A header that shows who we are. */
record Header(String name, String value) {

    static Header bearer(String token) {
        return new Header("Authorization", "Bearer " + token);
    }

    @Override
    public String toString() {
        return name + ": [hidden]";
    }
}
