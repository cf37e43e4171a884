using Spectre.Console;
using Spectre.Console.Rendering;

namespace VectorPipe.Measuring.Output;

/// <summary>What stands behind a bar: rate, time left and memory.</summary>
internal sealed class FiguresColumn : ProgressColumn
{
    private const string Key = "figures";

    /// <inheritdoc/>
    protected override bool NoWrap => true;

    /// <summary>States what stands behind a bar from now on.</summary>
    public static void Set(ProgressTask bar, string figures) => bar.State.Update<Figures>(Key, _ => new Figures(figures));

    /// <inheritdoc/>
    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Text(task.State.Get<Figures>(Key).Text ?? "");

    // The state of a bar holds nothing but structs.
    private readonly record struct Figures(string? Text);
}
