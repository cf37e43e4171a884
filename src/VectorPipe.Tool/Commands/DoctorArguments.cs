using CommandLine;

namespace VectorPipe.Tool.Commands;

/// <summary>Options of <c>vectorpipe doctor</c>.</summary>
[Verb("doctor", HelpText =
    "Report what this machine and a folder offer an index, and what to change: io_uring, direct reads, limits, the time of a read.")]
internal sealed class DoctorArguments : CommonArguments
{
    [Value(0, MetaName = "folder", HelpText =
        "(Default: the current folder) Folder of the indexes; a small one is built there and deleted.")]
    public string Folder { get; set; } = ".";

    public void Check()
    {
        if (!Directory.Exists(Folder))
            throw new DirectoryNotFoundException($"'{Folder}': expected an existing folder, found none.");
    }
}
