# bash completion of pitwall; written by workshop.completions
_pitwall() {
    local found="" cur="${COMP_WORDS[COMP_CWORD]}"
    local before=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    local place="" word
    for word in "${before[@]}"; do
        case "$place $word" in
            " console"|" demo"|" run"|" runs"|" prompt"|" shadow"|" export"|" clip"|" query"|" trigger"|" doctor"|" windows"|" manual"|" games"|"games list"|"games show"|"games check"|"games trust"|"games rename"|"games calibrate"|"games new"|"games watch"|"games read"|"games add-gameworld"|"games add-gym"|" teach"|"teach list"|"teach record"|"teach show"|"teach trim"|"teach tag"|"teach delete"|"teach merge"|"teach agent"|"teach export"|"teach import"|"teach train"|" models"|"models list"|"models show"|"models add"|"models add-remote"|"models set"|"models remove"|"models use"|"models suggest"|"models search"|"models chat"|"models download"|"models test"|"models bench"|"models embedder"|"models evaluate-default"|"models train-default"|"models trial"|" settings"|"settings list"|"settings set"|" components"|"components list"|"components install") place="${place:+$place }$word" ;;
        esac
    done
    case "$place" in
        "") found="console demo run runs prompt shadow export clip query trigger doctor windows manual games teach models settings components --version --install-completion --show-completion --help" ;;
        "console") found="--beside --game --start --seconds --install --seed --role --data --json --help" ;;
        "demo") found="--game --seconds --steps --seed --console --screenshot --data --json --help" ;;
        "run") found="--game --beside --seconds --steps --calls --tokens --seed --role --scenario --module --window --explore --set --planner --model --fast-model --workflow --interface --protocol --memory --person --ablate --layer --setting --instruction --launch --follow --until-input-ends --data --json --help" ;;
        "runs") found="--limit --search --game --keep-film --data --json --help" ;;
        "prompt") found="--call --data --json --help" ;;
        "shadow") found="--agent --game --demo --minutes --grant-at --pictures --seed --scenario --window --launch --data --json --help" ;;
        "export") found="--format --out --frames --force --data --json --help" ;;
        "clip") found="--from --to --last --out --overlay --force --data --json --help" ;;
        "query") found="--save --remove --list --tables --table --csv --limit --seconds --data --json --help" ;;
        "trigger") found="--set --data --json --help" ;;
        "doctor") found="--game --report --data --json --help" ;;
        "windows") found="--json --help" ;;
        "manual") found="--json --help" ;;
        "games") found="list show check trust rename calibrate new watch read add-gameworld add-gym --data --json --help" ;;
        "games list") found="--data --json --help" ;;
        "games show") found="--data --json --help" ;;
        "games check") found="--json --help" ;;
        "games trust") found="--data --json --help" ;;
        "games rename") found="--data --json --help" ;;
        "games calibrate") found="--window --press --units-per-degree --data --json --help" ;;
        "games new") found="--window --from-window --url --command --draft --name --id --size --replace --action --field --state --init --status --start --again --name-entry --pause --try --task --template --watch --take --out --draft-only --data --json --help" ;;
        "games watch") found="--window --from-window --draft --game --seconds --find --data --json --help" ;;
        "games read") found="--draft --frame --data --json --help" ;;
        "games add-gameworld") found="--width --height --replace --data --json --help" ;;
        "games add-gym") found="--all --replace --data --json --help" ;;
        "teach") found="list record show trim tag delete merge agent export import train --data --json --help" ;;
        "teach list") found="--game --data --json --help" ;;
        "teach record") found="--game --window --minutes --scenario --seed --role --who --instruction --keep-typing --launch --setting --data --json --help" ;;
        "teach show") found="--check --data --json --help" ;;
        "teach trim") found="--from --to --cut --clear --purge --data --json --help" ;;
        "teach tag") found="--remove --note --data --json --help" ;;
        "teach delete") found="--data --json --help" ;;
        "teach merge") found="--data --json --help" ;;
        "teach agent") found="--game --minutes --from --beside-minutes --grant-at --keep --module --learning-minutes --set --seed --data --json --help" ;;
        "teach export") found="--format --out --fps --data --json --help" ;;
        "teach import") found="--game --data --json --help" ;;
        "teach train") found="--game --from --module --learning-minutes --set --pixels --detach --data --json --help" ;;
        "models") found="list show add add-remote set remove use suggest search chat download test bench embedder evaluate-default train-default trial --data --json --help" ;;
        "models list") found="--data --json --help" ;;
        "models show") found="--data --json --help" ;;
        "models add") found="--name --projector --context --gpu-layers --threads --flash-attention --sha256 --probe --data --json --help" ;;
        "models add-remote") found="--model --key-variable --sees --context --probe --data --json --help" ;;
        "models set") found="--context --gpu-layers --threads --flash-attention --projector --url --model --key-variable --sees --click-scale --data --json --help" ;;
        "models remove") found="--delete-file --data --json --help" ;;
        "models use") found="--tier --data --json --help" ;;
        "models suggest") found="--data --json --help" ;;
        "models search") found="--data --json --help" ;;
        "models chat") found="--system --max-tokens --temperature --seed --data --json --help" ;;
        "models download") found="--sha256 --name --projector --probe --forget --data --json --help" ;;
        "models test") found="--prompt --image --max-tokens --temperature --seed --data --json --help" ;;
        "models bench") found="--data --json --help" ;;
        "models embedder") found="--build --data --json --help" ;;
        "models evaluate-default") found="--full --episodes --reading --pairs --data --json --help" ;;
        "models train-default") found="--folder --seed --steps --shards --threads --data --json --help" ;;
        "models trial") found="--task --seconds --forget --data --json --help" ;;
        "settings") found="list set --help" ;;
        "settings list") found="--data --json --help" ;;
        "settings set") found="--data --json --help" ;;
        "components") found="list install --data --json --help" ;;
        "components list") found="--data --json --help" ;;
        "components install") found="--data --json --help" ;;
    esac
    COMPREPLY=($(compgen -W "$found" -- "$cur"))
}
complete -o bashdefault -o default -F _pitwall pitwall
