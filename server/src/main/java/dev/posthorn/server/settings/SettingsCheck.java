package dev.posthorn.server.settings;

import java.util.Locale;
import java.util.Set;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses to start with a setting that does not exist, or that does not go with the others, before anything was begun.
 * Spring's own check of names leaves out environment variables and system properties, where a slip is most likely.
 */
public final class SettingsCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    /** Read before there are settings: by the launcher, and by the embedded PostgreSQL. */
    private static final Set<String> OTHERS =
            Set.of("posthorn.java.opts", "posthorn.cache", "posthorn.embedded.no-unshare");

    private final KnownSettings known = KnownSettings.onClassPath();

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        ConfigurableEnvironment environment = context.getEnvironment();
        environment.getPropertySources().forEach(this::check);
        SettingRules.check(bind(environment));
    }

    private void check(PropertySource<?> source) {
        if (source instanceof SystemEnvironmentPropertySource variables) {
            for (String each : variables.getPropertyNames()) {
                checkVariable(each);
            }
        } else if (source instanceof EnumerablePropertySource<?> properties) {
            for (String each : properties.getPropertyNames()) {
                checkProperty(each);
            }
        }
    }

    private void checkVariable(String name) {
        String property = KnownSettings.property(name);
        if (property.startsWith("posthorn.") && !OTHERS.contains(property) && !known.hasVariable(name)) {
            throw unknown(property, ", which the environment variable " + name + " sets");
        }
    }

    private void checkProperty(String name) {
        String property = name.toLowerCase(Locale.ROOT);
        if (property.startsWith("posthorn.") && !OTHERS.contains(property) && !known.hasProperty(name)) {
            throw unknown(name, "");
        }
    }

    private WrongSettingException unknown(String property, String from) {
        return new WrongSettingException("there is no setting " + property + from + "; " + known.remedy(property));
    }

    private static HubSettings bind(ConfigurableEnvironment environment) {
        try {
            return Binder.get(environment)
                    .bindOrCreate("posthorn", Bindable.of(HubSettings.class), new UnitsDemanded());
        } catch (BindException e) {
            if (e.getCause() instanceof WrongSettingException wrong) {
                throw wrong;
            }
            throw new WrongSettingException(Unreadable.message(e), e);
        }
    }
}
