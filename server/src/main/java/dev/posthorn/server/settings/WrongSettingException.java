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

    /**
     * A listener that cannot listen.
     *
     * @param listener the prefix of its settings
     * @param protocol what it speaks
     */
    public static WrongSettingException cannotListen(
            String listener, String protocol, String address, int port, Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        // Netty puts the call and the number of the error in front.
        String message = String.valueOf(root.getMessage());
        String reason = message.substring(message.lastIndexOf(": ") < 0 ? 0 : message.lastIndexOf(": ") + 2);
        return new WrongSettingException(
                listener + ".port is " + port + " and " + listener + ".address is '" + address + "', where " + protocol
                        + " cannot listen (" + reason + "); stop whoever does, or set another port",
                cause);
    }
}
