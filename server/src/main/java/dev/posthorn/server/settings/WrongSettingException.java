package dev.posthorn.server.settings;

import java.io.Serial;

/** A setting that the hub cannot start with. Its message is one line that names the setting and the remedy. */
public final class WrongSettingException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    public WrongSettingException(String message) {
        super(message);
    }

    public WrongSettingException(String message, Throwable cause) {
        super(message, cause);
    }
}
