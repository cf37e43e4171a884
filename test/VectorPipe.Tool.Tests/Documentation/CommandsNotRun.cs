namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>Commands of pages that no test runs as they are printed, with the reason.</summary>
internal static class CommandsNotRun
{
    private const string Installs = "takes a package from a registry", Packs = "the packages are made and used by the check of the tree";
    private const string Step = "a step of .ci/packages, with packages of its own";
    private const string NewProject = "as for the web template and its packages, which are steps of .ci/packages; a test runs the program";
    private const string System = "changes the system; the unit and its options have tests";

    public static IReadOnlyDictionary<string, string> Reasons { get; } = new Dictionary<string, string>
    {
        ["dotnet run -c Release --project samples/QuickStart"] = "builds; a test runs the sample",
        ["dotnet test VectorPipe.sln -c Release --filter \"TestCategory!=Heavy\""] = "is this run",
        ["dotnet pack src/VectorPipe -c Release -o /path/to/packages"] = Packs,
        ["dotnet pack src/VectorPipe.Extensions.Hosting -c Release -o /path/to/packages"] = Packs,
        ["dotnet pack src/VectorPipe.Extensions.VectorData -c Release -o /path/to/packages"] = Packs,
        ["dotnet pack src/VectorPipe.Tool -c Release -o /path/to/packages"] = Packs,
        ["dotnet new console"] = NewProject,
        ["dotnet add package VectorPipe"] = NewProject,
        ["dotnet new web"] = Step,
        ["dotnet add package VectorPipe.Extensions.Hosting"] = Step,
        ["dotnet add package VectorPipe.Extensions.VectorData"] = Step,
        ["dotnet tool install --global VectorPipe.Tool"] = "a step of .ci/packages, into a folder instead of the user's",
        ["dotnet tool install --global VectorPipe.Server"] = Installs,
        ["sudo dotnet tool install --tool-path /opt/vectorpipe VectorPipe.Server"] = Installs,
        ["sudo cp packaging/vectorpipe.service /etc/systemd/system/"] = System,
        ["sudo install -D packaging/vectorpipe.conf /etc/vectorpipe/vectorpipe.conf"] = System,
        ["sudo systemctl enable --now vectorpipe"] = System,
        ["docker run --security-opt seccomp=io_uring.json ..."] = "needs Docker and an image; the profile has a test",
        ["dotnet run -c Release --project benchmark/VectorPipe.Micro -- -i --job short --iterationTime 250 --warmupCount 6 --filter '*'"] =
            "takes an hour",
        ["dotnet run -c Release --project benchmark/VectorPipe.Micro -- -i --job short --iterationTime 5 --iterationCount 400 "
            + "--warmupCount 100 --filter '*VectorData*' '*Telemetry*'"] = "builds and measures for minutes",
    };
}
