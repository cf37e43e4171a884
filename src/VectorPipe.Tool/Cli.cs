using VectorPipe.Measuring.Output;
using VectorPipe.Tool.Commands;

namespace VectorPipe.Tool;

/// <summary>The command line of <c>vectorpipe</c>.</summary>
internal static class Cli
{
    private static readonly CommandLineProgram _program = new(
        "vectorpipe", "build, search and check vector indexes on disk, and write to collections",
        [
            new VerbGroup(
                "Indexes, which are built once", typeof(BuildArguments), typeof(SearchArguments), typeof(TruthArguments),
                typeof(CalibrateArguments), typeof(ImportArguments), typeof(ExportArguments)),
            new VerbGroup(
                "Collections, which are written to", typeof(CreateArguments), typeof(UpsertArguments), typeof(DeleteArguments),
                typeof(CountArguments), typeof(ScanArguments), typeof(CompactArguments), typeof(StatusArguments), typeof(BackupArguments),
                typeof(RestoreArguments)),
            new VerbGroup(
                "Both", typeof(QueryArguments), typeof(GetArguments), typeof(ExplainArguments), typeof(InspectArguments),
                typeof(VerifyArguments)),
            new VerbGroup("Data, machine and shell", typeof(GenerateArguments), typeof(DoctorArguments), typeof(CompletionArguments)),
        ]);

    /// <summary>The verbs with their options.</summary>
    public static IReadOnlyList<CommandVerb> Verbs => _program.Verbs;

    /// <summary>Runs a command line, verb first. Returns the exit code.</summary>
    /// <param name="output">Receives results and help.</param>
    /// <param name="error">Receives progress, log messages and errors.</param>
    public static Task<int> RunAsync(
        IEnumerable<string> args, TextWriter output, TextWriter error, CancellationToken cancellationToken = default) =>
        _program.RunAsync<CommonArguments>(
            args,
            arguments => RunAsync(arguments, arguments.CreateConsole(output, error), cancellationToken),
            output,
            error);

    private static async Task<int> RunAsync(CommonArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        try
        {
            return await DispatchAsync(arguments, console, cancellationToken);
        }
        catch (IndexNotFoundException e) when (arguments is IStoreArguments store && !VectorCollection.Exists(store.Folder))
        {
            throw new IndexNotFoundException($"{store.Folder}: expected a collection or an index; found neither.", e);
        }
    }

    private static Task<int> DispatchAsync(CommonArguments arguments, ToolConsole console, CancellationToken cancellationToken) =>
        arguments switch
        {
            GenerateArguments generate => GenerateCommand.RunAsync(generate, console, cancellationToken),
            BuildArguments build => BuildCommand.RunAsync(build, console, cancellationToken),
            SearchArguments search => SearchCommand.RunAsync(search, console, cancellationToken),
            GetArguments get => GetCommand.RunAsync(get, console, cancellationToken),
            TruthArguments truth => TruthCommand.RunAsync(truth, console, cancellationToken),
            InspectArguments inspect => InspectCommand.RunAsync(inspect, console),
            VerifyArguments verify => VerifyCommand.RunAsync(verify, console, cancellationToken),
            CalibrateArguments calibrate => CalibrateCommand.RunAsync(calibrate, console, cancellationToken),
            ImportArguments import => ImportCommand.RunAsync(import, console, cancellationToken),
            ExportArguments export => ExportCommand.RunAsync(export, console, cancellationToken),
            CreateArguments create => CreateCommand.RunAsync(create, console, cancellationToken),
            UpsertArguments upsert => UpsertCommand.RunAsync(upsert, console, cancellationToken),
            DeleteArguments delete => DeleteCommand.RunAsync(delete, console, cancellationToken),
            QueryArguments query => QueryCommand.RunAsync(query, console, cancellationToken),
            CountArguments count => CountCommand.RunAsync(count, console, cancellationToken),
            ScanArguments scan => ScanCommand.RunAsync(scan, console, cancellationToken),
            CompactArguments compact => CompactCommand.RunAsync(compact, console, cancellationToken),
            StatusArguments status => StatusCommand.RunAsync(status, console, cancellationToken),
            BackupArguments backup => CopyCommand.RunAsync(backup.From, backup.To, console, cancellationToken),
            RestoreArguments restore => CopyCommand.RunAsync(restore.From, restore.To, console, cancellationToken),
            DoctorArguments doctor => DoctorCommand.RunAsync(doctor, console, cancellationToken),
            CompletionArguments completion => CompletionCommand.RunAsync(completion, _program.Name, Verbs, console),
            ExplainArguments explain => ExplainCommand.RunAsync(explain, console, cancellationToken),
            _ => throw new InvalidOperationException($"No command for {arguments.GetType().Name}."),
        };
}
