package dev.posthorn.server.settings;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.util.unit.DataSize;

/**
 * Refuses a time or a size that is a number alone. Spring would take it for milliseconds or bytes, and a retention of 30,
 * meant as days, would be over before anybody has looked.
 */
final class UnitsDemanded implements BindHandler {

    private static final Pattern NUMBER = Pattern.compile("[+-]?0*[1-9][0-9]*");

    private static final Map<Class<?>, String> REMEDIES = Map.of(
            Duration.class, "a time needs its unit, such as 30d, 12h, 5m, 30s or 500ms",
            DataSize.class, "a size needs its unit, such as 16MB, 512KB or 100B");

    @Override
    public Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        ConfigurationProperty given = context.getConfigurationProperty();
        String remedy = REMEDIES.get(target.getType().resolve(Object.class));
        if (given != null && remedy != null) {
            String value = String.valueOf(given.getValue()).strip();
            if (NUMBER.matcher(value).matches()) {
                throw new WrongSettingException(name + " is '" + value + "'; " + remedy);
            }
        }
        return result;
    }
}
