package dev.posthorn.server;

import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.settings.WrongSettingException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.Shutdown;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Sets up the HTTP server as {@code posthorn.http} says. */
@Component
class HttpListener implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private final HubSettings.Http settings;

    HttpListener(HubSettings settings) {
        this.settings = settings.http();
    }

    @Override
    public void customize(TomcatServletWebServerFactory server) {
        server.setPort(settings.port());
        server.setAddress(address());
        server.setShutdown(Shutdown.GRACEFUL);
        if (settings.tls().isOn()) {
            server.setSsl(ssl());
        }
    }

    private Ssl ssl() {
        Ssl ssl = new Ssl();
        ssl.setCertificate(String.valueOf(settings.tls().certificate()));
        ssl.setCertificatePrivateKey(String.valueOf(settings.tls().privateKey()));
        return ssl;
    }

    private InetAddress address() {
        try {
            return InetAddress.getByName(settings.address());
        } catch (UnknownHostException e) {
            throw new WrongSettingException(
                    "posthorn.http.address is '" + settings.address() + "', which is no address of this machine", e);
        }
    }
}
