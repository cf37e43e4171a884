using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;
using CommandLine;

namespace VectorPipe.Measuring.Output;

/// <summary>The options of a command, for its report.</summary>
internal static class OptionsReport
{
    // Options that change the output alone, or whose value the report states under another name.
    private static readonly string[] _omitted =
    [
        "format", "trace", "plan", "json-output", "csv-output", "chart", "quiet", "verbose", "report-interval-sec",
        "run-threads-sweep",
    ];

    /// <summary>Names, with underscores, and values of the options. The name <c>device</c> is left for the device in use.</summary>
    public static JsonObject Create(ICommandArguments arguments)
    {
        var report = new JsonObject { ["verb"] = arguments.Verb };
        foreach (PropertyInfo property in arguments.GetType().GetProperties())
        {
            if (property.GetCustomAttribute<OptionAttribute>() is not { } option || _omitted.Contains(option.LongName))
                continue;
            string name = option.LongName switch { "" => option.ShortName, "device" => "device_requested", var other => other };
            report[name.Replace('-', '_')] = JsonSerializer.SerializeToNode(property.GetValue(arguments), property.PropertyType);
        }

        return report;
    }
}
