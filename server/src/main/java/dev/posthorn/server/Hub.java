package dev.posthorn.server;

import dev.posthorn.server.database.Database;
import dev.posthorn.server.settings.HubSettings;
import dev.posthorn.server.settings.SettingsCheck;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** The server that takes events and looks after subscriptions. */
// Without its error pages: one class answers all errors, those of Tomcat too.
@SpringBootApplication(proxyBeanMethods = false, exclude = ErrorMvcAutoConfiguration.class)
@EnableConfigurationProperties(HubSettings.class)
public class Hub {

    /** Starts a hub with these settings, which win over all others. */
    public static ConfigurableApplicationContext start(Map<String, Object> settings) {
        SpringApplication application = new SpringApplication(Hub.class);
        // Settings stand in posthorn.yaml, ours in the jar and the user's where the hub is started.
        System.setProperty("spring.config.name", "posthorn");
        application.addInitializers(new SettingsCheck());
        application.setLogStartupInfo(false);
        application.setBannerMode(Banner.Mode.OFF);
        Map<String, Object> all = new LinkedHashMap<>(settings);
        // Where it finds itself in a cluster, Spring would believe whatever a caller says about proxies.
        all.put("server.forward-headers-strategy", "none");
        ConfigurableApplicationContext started = application.run(all.entrySet().stream()
                .map(each -> "--" + each.getKey() + "=" + each.getValue())
                .toArray(String[]::new));
        started.getBean(Database.class).hubIsUp();
        return started;
    }
}
