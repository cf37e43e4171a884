using System.Text.Json.Nodes;
using Spectre.Console;
using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Doctor;

namespace VectorPipe.Tool.Commands;

/// <summary><c>vectorpipe doctor</c>.</summary>
internal static class DoctorCommand
{
    public static async Task<int> RunAsync(DoctorArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        arguments.Check();
        List<Finding> findings = [.. new HostChecks().Run(), .. await new DeviceChecks(arguments.Folder).RunAsync(cancellationToken)];
        Table table = new Table().AddColumn("what").AddColumn("found").AddColumn("");
        foreach (Finding finding in findings)
            table.AddRow(Markup.Escape(finding.Name), Markup.Escape(finding.Value), finding.Advice is null ? "ok" : "see below");
        console.Write(table);
        Finding[] advised = [.. findings.Where(finding => finding.Advice is not null)];
        foreach (Finding finding in advised)
            console.WriteLine($"{finding.Name}: {finding.Advice}");
        if (advised.Length == 0)
            console.WriteLine("nothing to change");

        await console.WriteDocumentAsync(
            new JsonObject { ["findings"] = new JsonArray([.. findings.Select(ToJson)]) }, findings.Select(ToJson));
        return ExitCodes.Ok;
    }

    private static JsonObject ToJson(Finding finding) => new()
    {
        ["name"] = finding.Name,
        ["value"] = finding.Value,
        ["advice"] = finding.Advice,
    };
}
